import { DEP, EXR, LOG, type SentEvent } from '../../../server/test/conformance/incidents-fixtures.ts';

/** What a page would have to run, to ask, to follow or to believe. */
export const HOSTILE_TEXTS: readonly string[] = [
  '<script>window.broken = 1</script>',
  '<img src=//evil.example/x onerror="window.broken=1">',
  '"><svg onload=window.broken=1>',
  "' onmouseover='window.broken=1",
  '</style><style>body{display:none}</style>',
  '<a href="https://evil.example/">click</a>',
  '<iframe srcdoc="<script>parent.broken=1</script>">',
  'javascript:window.broken=1',
  'data:text/html,<script>window.broken=1</script>',
  'https://evil.example/?q=1',
  '[x](javascript:window.broken=1)',
  "{{constructor.constructor('window.broken=1')()}}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what templates of others would fill
  '${window.broken=1}',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'background:url(//evil.example/x);position:fixed;inset:0',
  'A'.repeat(20_000),
  'word '.repeat(4000),
  'safe\u202Egnp.exe',
  'zero\u200B\u200D\uFEFFwidth',
  '\u001b[31mred\u001b[0m',
  'lone \ud800 surrogate',
  'nul \u0000 byte \u0007',
  'line\u2028break\u2029here',
  `Z${'\u0301'.repeat(200)}algo`,
  '999999999999999999999999999999',
  '-1e999',
  '%00%2e%2e%2f../../etc/passwd',
  '🤷‍♀️ שלום عربى 漢字',
];
const NAME_LENGTH_MAX = 100;
/** Together with what stands around it, as deep as an event may be. */
const DEPTH = 24;
const COPIES = 10;

/** Ten events for each text, which stands in every field that an application fills: one incident each. */
export function hostileEvents(): SentEvent[] {
  return HOSTILE_TEXTS.flatMap((text, index) =>
    Array.from({ length: COPIES }, (_, copy) => hostileEvent(text, index, copy)),
  );
}

function hostileEvent(text: string, index: number, copy: number): SentEvent {
  const name = text.slice(0, NAME_LENGTH_MAX);
  const place = `at ${name} (/srv/${name}/hostile-${index}.js:1:1)`;
  const event = EXR(
    {
      event_id: `evt-hostile-${index}-${copy}`,
      context: { [name]: text, release: name, user: { id: name, email: name }, tags: { [name]: text } },
      payload: {
        error_class: `Hostile${letters(index)}Error`,
        message: text,
        stacktrace: `Hostile${letters(index)}Error: ${text}\n    ${place}`,
        exceptions: [{ type: name, value: text }],
      },
      correlation: { request_id: name, trace_id: name, session_id: name },
    },
    {
      path: `/${name}`,
      query: { [name]: text },
      headers: { 'x-hostile': text, referer: text, 'user-agent': text },
      body: { [name]: text, deep: nested(text) },
    },
    { headers: { 'x-answer': text }, body: text },
  );
  return { ...event, sdk: { ...event.sdk, name: 'hostile' } };
}

/** A number in letters, so that no part of it is taken for a value. */
function letters(index: number): string {
  return String.fromCharCode(65 + Math.floor(index / 26), 97 + (index % 26));
}

function nested(text: string): unknown {
  let value: unknown = text;
  for (let depth = 0; depth < DEPTH; depth += 1) value = { [text.slice(0, 20)]: value };
  return value;
}

/** The same texts as names of services, environments, releases, probes and lines of a log; not each is a name. */
export function hostileNames(): object[] {
  return HOSTILE_TEXTS.map((text) => text.slice(0, NAME_LENGTH_MAX)).flatMap((name, index) => {
    const service = { name, environment: name, runtime: name, framework: name };
    const deployedAt = new Date().toISOString();
    return [
      DEP({
        service,
        timestamp: deployedAt,
        payload: { version: name, commit_sha: name, branch: name, deployed_at: deployedAt },
      }),
      { ...LOG('warning', name), service, event_id: `evt-name-${index}` },
      {
        ...LOG('warning', name),
        event_type: 'probe_event',
        payload: { label: name, data: { [name]: name } },
      },
    ];
  });
}
