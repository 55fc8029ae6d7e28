import chevronIcon from 'virtual:icon/chevron-down';
import type { DebugBundle } from '@culprit/contract/bundle';
import { bundleAgentText, bundleMarkdown } from '@culprit/contract/bundle-text';
import type { Incident } from '@culprit/contract/incidents';
import { useState } from 'react';
import { pathTo } from '../paths.ts';
import { changeStatus, undo } from '../shell/change-status.ts';
import { type Shortcut, useShortcuts } from '../shell/shortcuts.tsx';
import { showToast } from '../shell/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import styles from './incident-actions.module.css';
import { RuleDialog } from './rule-dialog.tsx';

interface Copy {
  label: string;
  key: string;
  text: () => string | Promise<string>;
}

/** What can be done with the incident: close it, hand it over, keep its like out. */
export function IncidentActions({ incident, bundle }: { incident: Incident; bundle: DebugBundle | null }) {
  const [isRuling, setRuling] = useState(false);
  const ids = [incident.incident_id];
  const copies = copiesOf(incident, bundle);
  const copy = async ({ label, text }: Copy) => {
    const isDone = await copyText(await text());
    showToast(isDone ? `Copied: ${label.toLowerCase()}` : 'The browser refused to copy');
  };
  const change = (to: 'resolved' | 'open') => changeStatus({ ids, to });
  const isResolved = incident.status === 'resolved';
  const shortcuts: Shortcut[] = [
    { keys: 'e', label: 'Resolve', run: () => !isResolved && change('resolved') },
    { keys: 'Shift+E', label: 'Reopen', run: () => isResolved && change('open') },
    { keys: 'z', label: 'Undo, while it is offered', run: undo },
    { keys: 'r', label: 'Make a rule', run: () => setRuling(true) },
    ...copies.map((each) => ({
      keys: `c ${each.key}`,
      label: `Copy: ${each.label.toLowerCase()}`,
      run: () => void copy(each),
    })),
  ];
  useShortcuts('Incident', shortcuts);
  return (
    <div className={styles.actions}>
      <Menu
        label="Copy"
        side="end"
        triggerClass={styles.trigger}
        trigger={
          <>
            Copy <Icon path={chevronIcon} size={12} />
          </>
        }
        items={copies.map((each) => ({
          kind: 'action',
          label: each.label,
          keys: `C ${each.key.toUpperCase()}`,
          onChoose: () => void copy(each),
        }))}
      />
      <Button keys="R" onClick={() => setRuling(true)}>
        Rule…
      </Button>
      {isResolved ? (
        <Button kind="primary" keys="Shift E" onClick={() => change('open')}>
          Reopen
        </Button>
      ) : (
        <Button kind="primary" keys="E" onClick={() => change('resolved')}>
          Resolve
        </Button>
      )}
      <RuleDialog incident={incident} isOpen={isRuling} onClose={() => setRuling(false)} />
    </div>
  );
}

function copiesOf(incident: Incident, bundle: DebugBundle | null): Copy[] {
  const link: Copy = {
    label: 'Link',
    key: 'l',
    text: () => `${location.origin}${pathTo('incident', { id: incident.incident_id })}`,
  };
  if (bundle === null) return [link];
  const { artifacts } = bundle.reproduction;
  return [
    {
      label: 'For an agent',
      key: 'a',
      text: async () => bundleAgentText(...(await shared(incident, bundle)), fenceWord()),
    },
    {
      label: 'Markdown',
      key: 'm',
      text: async () => bundleMarkdown(...(await shared(incident, bundle))),
    },
    { label: 'JSON', key: 'j', text: () => JSON.stringify(bundle, null, 2) },
    ...(artifacts === null ? [] : [{ label: 'curl', key: 'u', text: () => artifacts.curl }]),
    link,
  ];
}

/** What leaves for an issue tracker or an agent; loaded when it is asked for. */
async function shared(incident: Incident, bundle: DebugBundle): Promise<[Incident, DebugBundle]> {
  const { sharedForm } = await import('@culprit/evidence/bundles/sharing/shared-form');
  return sharedForm(incident, bundle);
}

/** A word that no text of a failing application can know. */
function fenceWord(): string {
  return `evidence-${crypto.randomUUID()}`;
}
