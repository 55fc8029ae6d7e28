import type { Diagnose, DiagnosticCode, DiagnosticData } from '../../sdk-core/src/diagnostics.ts';

/** Replaces `codes.ts` in builds under the condition `development`: what is wrong, and what to do. */

/** `{name}` is filled in (docs/contract/clients.md 13). */
const LINES: { readonly [Code in DiagnosticCode]?: string } = {
  token_malformed: 'This is no project token. Create a project token.',
  endpoint_invalid: 'This is no http(s) address. Check endpoint.',
  endpoint_insecure: 'The token is sent in clear. Use https.',
  unauthorized: 'The token {token} is unknown or revoked. Create a project token.',
  origin_refused: 'The token does not allow {origin}. Add it to its allowed origins.',
  not_an_api:
    '{address} answered {status}: no ingestion endpoint, or one that redirects (300). Set endpoint to the address that answers.',
  unreachable:
    '{address} does not answer ({code}). Events wait; check the network and the policy of the page.',
  too_large: 'An event has more than {bytes} bytes and is not sent. Send less.',
  runtime_unsupported: 'This browser is too old. Use Chrome 80, Firefox 78, Safari 14 or newer.',
  internal_error: 'The library failed: {message}. Report it.',
  unknown_option: 'The option {option} is ignored. Did you mean {nearest}?',
  already_initialized: 'init was called before. Call close first.',
};

export function lineOf(code: DiagnosticCode, data: DiagnosticData): string {
  return String(LINES[code]).replace(/\{(\w+)\}/g, (_, name) => String(data[name] ?? 'unknown'));
}

const KNOWN =
  'token endpoint dsn enabled service environment release initialScope redactKeys redactValues sampleRate ' +
  'sessionSampleRate maxEventsPerSession maxBreadcrumbs beforeSend beforeBreadcrumb ignoreErrors allowUrls denyUrls ' +
  'tracePropagationTargets traceHeaders logLevel capture batchEvents flushIntervalMs maxBufferedEvents timeoutMs ' +
  'transport integrations onDiagnostic debug';

/** Options that do not exist are ignored, and named once with the nearest one that does. */
export function reportUnknownOptions(options: object, diagnose: Diagnose): void {
  const known = KNOWN.split(' ');
  for (const option of Object.keys(options)) {
    const distance = (other: string) =>
      Math.abs(option.length - other.length) + [...option].filter((letter) => !other.includes(letter)).length;
    if (!known.includes(option)) {
      known.sort((a, b) => distance(a) - distance(b));
      diagnose('unknown_option', { option, nearest: String(known[0]) });
    }
  }
}
