import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { useState } from 'react';
import { visibleText } from '../../format/event-text.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Segments } from '../../ui/fields/segments.tsx';
import { FoldedSection } from '../../ui/folded-section.tsx';

const REASONS: Readonly<Record<string, string>> = {
  request_context_available: 'The request was captured with the address of its server.',
  request_context_without_body:
    "The request was captured without its body, so the command can have another result. The Node library captures bodies of failed requests with init({ requestBodies: 'failures' }).",
  request_context_without_origin: 'The request was captured without the address of its server.',
  frontend_network_request: 'The page sent this request shortly before the failure.',
  opaque_browser_event: 'The browser withheld the details. CORS headers on the script would reveal them.',
  invalid_request_line: 'The captured request cannot be written as a command.',
  insufficient_context: 'The captured data is not enough to repeat the request.',
  no_request_context: 'No request was captured. Send a request event with the same trace or request id.',
};
const FORMS = { curl: 'curl', httpie: 'HTTPie', json: 'JSON' } as const;
const CHOICES = (['curl', 'httpie', 'json'] as const).map((value) => ({ value, label: FORMS[value] }));
/** The placeholders that must be filled in by hand. */
const BLANKS = ['[REDACTED]', `$\{BASE_URL}`];

/** Shows how to reproduce the failure. */
export function ReproductionSection({ bundle }: { bundle: DebugBundle }) {
  const [form, setForm] = useState<keyof typeof FORMS>('curl');
  const { possible, reason, artifacts } = bundle.reproduction;
  const words = REASONS[reason] ?? reason;
  if (!possible || artifacts === null) {
    return (
      <FoldedSection id="reproduction" title="Reproduce" summary="Not possible">
        <p>{words}</p>
      </FoldedSection>
    );
  }
  const code = {
    curl: artifacts.curl,
    httpie: artifacts.httpie,
    json: JSON.stringify(artifacts.json_spec, null, 2),
  }[form];
  const blanks = BLANKS.filter((blank) => code.includes(blank));
  return (
    <FoldedSection
      id="reproduction"
      title="Reproduce"
      summary={words}
      actions={<Segments label="Form" isSmall choices={CHOICES} value={form} onChange={setForm} />}
    >
      {blanks.length > 0 && (
        <p>
          Fill in first:{' '}
          {blanks.map((blank) => (
            <code key={blank}>{blank} </code>
          ))}
        </p>
      )}
      <CodeBlock code={code} label={`${FORMS[form]} command`} copyLabel={`Copy as ${FORMS[form]}`} isWrapped>
        {visibleText(code)}
      </CodeBlock>
    </FoldedSection>
  );
}
