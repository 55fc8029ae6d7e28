import type { Heartbeat } from '@culprit/contract/monitor/heartbeats';
import { type ReactNode, useState } from 'react';
import { CodeBlock } from '../ui/code-block.tsx';
import { SelectField } from '../ui/fields/field.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import styles from './check-form.module.css';
import { heartbeatSetups } from './heartbeat-setups.ts';

/** Shows how the job reports its runs, with the address filled in. */
export function HeartbeatSetupPart({ heartbeat, actions }: { heartbeat: Heartbeat; actions: ReactNode }) {
  const [value, setValue] = useState('cron');
  const { ping_url: url, schedule } = heartbeat;
  if (url === null) {
    return (
      <Section id="setup" title="Setup">
        <SectionText>
          <p>Only admins and the owner see the URL that the job requests.</p>
        </SectionText>
      </Section>
    );
  }
  const setups = heartbeatSetups(url, schedule);
  const chosen = setups.find((setup) => setup.value === value) ?? setups[0];
  return (
    <Section id="setup" title="Setup" note="Anyone with the URL can report runs" actions={actions}>
      <div className={styles.form}>
        <CodeBlock code={url} label="URL of the heartbeat" isWrapped />
        <SelectField
          className={styles.choice}
          label="Run by"
          value={value}
          onChange={({ target }) => setValue(target.value)}
        >
          {setups.map((setup) => (
            <option key={setup.value} value={setup.value}>
              {setup.label}
            </option>
          ))}
        </SelectField>
        {chosen !== undefined && (
          <CodeBlock code={chosen.code} label={`Setup for ${chosen.label}`} isWrapped />
        )}
      </div>
    </Section>
  );
}
