import type { DebugBundle } from '@culprit/contract/bundle';
import { useState } from 'react';
import { visibleText } from '../format/event-text.ts';
import { CodeBlock } from '../ui/code-block.tsx';
import { Section } from '../ui/section.tsx';
import styles from './stack.module.css';

const REASONS: Readonly<Record<string, string>> = {
  request_context_available: 'The request was captured with the address of its server.',
  request_context_without_origin: 'The request was captured without the address of its server.',
  frontend_network_request: 'The page sent this request shortly before the failure.',
  opaque_browser_event: 'The browser withheld the details. CORS headers on the script would bring them.',
  invalid_request_line: 'The captured request cannot be written as a command.',
  insufficient_context: 'What was captured is not enough to send the request again.',
  no_request_context:
    'No request was captured. A request event with the same trace or request id would bring one.',
};
const FORMS = { curl: 'curl', httpie: 'HTTPie', json: 'JSON' } as const;
/** What has to be filled in by hand. */
const BLANKS = ['[REDACTED]', `$\{BASE_URL}`];

/** How to make it happen again. */
export function ReproductionSection({ bundle }: { bundle: DebugBundle }) {
  const [form, setForm] = useState<keyof typeof FORMS>('curl');
  const { possible, reason, confidence, artifacts } = bundle.reproduction;
  const words = REASONS[reason] ?? reason;
  if (!possible || artifacts === null) {
    return (
      <Section id="reproduction" title="Reproduction">
        <p>Not possible. {words}</p>
      </Section>
    );
  }
  const code = {
    curl: artifacts.curl,
    httpie: artifacts.httpie,
    json: JSON.stringify(artifacts.json_spec, null, 2),
  }[form];
  const blanks = BLANKS.filter((blank) => code.includes(blank));
  return (
    <Section
      id="reproduction"
      title="Reproduction"
      note={`${words} Confidence ${confidence.toFixed(2)}`}
      actions={
        <fieldset className={styles.views}>
          <legend className="visually-hidden">Form</legend>
          {(['curl', 'httpie', 'json'] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="form" checked={form === each} onChange={() => setForm(each)} />
              <span>{FORMS[each]}</span>
            </label>
          ))}
        </fieldset>
      }
    >
      {blanks.length > 0 && (
        <p>
          To fill in first:{' '}
          {blanks.map((blank) => (
            <code key={blank}>{blank} </code>
          ))}
        </p>
      )}
      <CodeBlock code={code} label={`${FORMS[form]} command`} copyLabel={`Copy as ${FORMS[form]}`} isWrapped>
        {visibleText(code)}
      </CodeBlock>
    </Section>
  );
}
