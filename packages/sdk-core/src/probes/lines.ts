import type { Diagnostic, DiagnosticCode, DiagnosticData } from '../diagnostics.ts';

/** The text of each code's line: the fault, and what to do (docs/contract/clients.md 13). `{name}` is filled in. */
const LINES: Readonly<Record<DiagnosticCode, string>> = {
  token_malformed: 'The token is not a project token. Create a project token in the settings of the project.',
  token_missing: 'There is no project token, so nothing is sent. Set CULPRIT_PROJECT_TOKEN.',
  endpoint_missing: 'There is no endpoint, so nothing is sent. Set CULPRIT_ENDPOINT.',
  endpoint_invalid: 'The endpoint is not an http(s) address, so nothing is sent. Set CULPRIT_ENDPOINT.',
  endpoint_insecure: 'The token is sent to {host} without encryption. Use an https address.',
  proxy_invalid: 'The proxy is not an http(s) address, so it is not used. Check the option proxy.',
  unauthorized: 'The token {token} is unknown or was revoked. Create a new project token.',
  origin_refused:
    'The service refuses this origin. Use a token without allowed origins on servers; in browsers, add {origin} to the allowed origins of the token.',
  not_an_api: '{address} answered {status} and is not the ingestion endpoint. Check the endpoint.',
  unreachable:
    '{host} has not answered for a minute ({code}). Events wait; check the network and the endpoint.',
  too_large:
    'An event has more than {bytes} bytes without everything that can be left out, and is not sent. Send less.',
  clock_skew: 'The clock is {seconds} seconds off. Event times are corrected; set the clock.',
  local_unwritable: '{path} cannot be written ({code}). Make it writable or set CULPRIT_LOCAL_DIR.',
  local_chosen: 'Events are written to {path} and not sent. {advice}',
  spool_left:
    '{files} files of events for another token or endpoint wait in {path}. A process with that token sends them; after {hours} hours they are removed. If the token was revoked, delete the folder.',
  permission_missing: 'Node was started with --permission and without {flags}, so {loss}.',
  runtime_unsupported: 'This runtime is not supported, so nothing is captured. Use {versions}.',
  relay_no_address: 'The relay cannot see client addresses, so all clients share one limit. Set trustProxy.',
  internal_error: 'The library failed: {message}. Report it; the application is not affected.',
  unknown_option: 'The option {option} is unknown and ignored. {nearest}',
  already_initialized: 'init was called before and changes nothing now. Call close first.',
};

const ONLY_WITH_DEBUG: readonly DiagnosticCode[] = [
  'internal_error',
  'unknown_option',
  'already_initialized',
];

/** Returns the advice when files were chosen without a setting for them. */
export function localAdvice(hasToken: boolean): string {
  return hasToken
    ? "To send them, set mode: 'connected'."
    : 'Neither a token nor NODE_ENV is set: to send them, set CULPRIT_PROJECT_TOKEN; to keep the files, set NODE_ENV=development.';
}

/** The line of a code, without the leading `[culprit] `. */
export function diagnosticLine(code: DiagnosticCode, data: DiagnosticData): string {
  return LINES[code].replace(/\{(\w+)\}/g, (_, name: string) => String(data[name] ?? 'unknown'));
}

/**
 * Passes every diagnostic to the host's function and prints each code once: those of wrong calls only with `debug`,
 * the last two of them also outside production.
 */
export function createDiagnosticPrinter(settings: {
  print(line: string): void;
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  debug?: boolean | undefined;
  isProduction: boolean;
  /** Members that the platform knows better: address, host, origin, token preview. */
  data?: ((code: DiagnosticCode) => DiagnosticData) | undefined;
}): (code: DiagnosticCode, data: DiagnosticData) => void {
  const printed = new Set<DiagnosticCode>();
  return (code, given) => {
    const data = { ...settings.data?.(code), ...given };
    const message = diagnosticLine(code, data);
    try {
      settings.onDiagnostic?.({ code, message, data });
    } catch {
      // The host's own function.
    }
    const isQuiet =
      !settings.debug &&
      ONLY_WITH_DEBUG.includes(code) &&
      (code === 'internal_error' || settings.isProduction);
    if (isQuiet || (printed.has(code) && !settings.debug)) return;
    printed.add(code);
    try {
      settings.print(`[culprit] ${message}`);
    } catch {
      // Standard error may be closed.
    }
  };
}

/** The known option that is nearest to an unknown one, as a sentence; empty when none is near. */
export function nearestOption(unknown: string, known: readonly string[]): string {
  const name = unknown.slice(0, 64).toLowerCase();
  let nearest = '';
  let least = Math.max(2, Math.floor(name.length / 2));
  for (const each of known) {
    const distance = editDistance(name, each.toLowerCase());
    if (distance < least) {
      least = distance;
      nearest = each;
    }
  }
  return nearest === '' ? '' : `Did you mean ${nearest}?`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a.charAt(i - 1) === b.charAt(j - 1) ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
