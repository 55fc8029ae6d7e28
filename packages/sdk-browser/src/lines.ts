import type { DiagnosticCode, DiagnosticData } from '../../sdk-core/src/diagnostics.ts';
import type { CommonOptions } from '../../sdk-core/src/options.ts';

export type Diagnose = (code: DiagnosticCode, data?: DiagnosticData) => void;

/** What is wrong, and what to do (docs/contract/clients.md 13). `{name}` is filled in. */
const LINES: { readonly [Code in DiagnosticCode]?: string } = {
  token_malformed: 'This is no project token. Create a project token.',
  endpoint_invalid: 'This is no http(s) address. Check endpoint.',
  endpoint_insecure: 'The token is sent in clear. Use https.',
  unauthorized: 'The token {token} is unknown or revoked. Create a project token.',
  origin_refused: 'The token does not allow {origin}. Add it to its allowed origins.',
  not_an_api: '{address} answered {status}: no ingestion endpoint. Check endpoint.',
  unreachable: '{address} does not answer. Check the network.',
  runtime_unsupported: 'This browser is too old. Use Chrome 80, Firefox 78, Safari 14 or newer.',
  internal_error: 'The library failed: {message}. Report it.',
  unknown_option: 'The option {option} is ignored. Did you mean {nearest}?',
  already_initialized: 'init was called before. Call close first.',
};

const printed = new Set<DiagnosticCode>();

/** Passes every diagnostic to the host's function, and prints each code once per page. */
export function createDiagnose(options: CommonOptions, facts: DiagnosticData): Diagnose {
  return (code, given) => {
    const data = { ...facts, ...given };
    const message = String(LINES[code]).replace(/\{(\w+)\}/g, (_, name) => String(data[name] ?? ''));
    try {
      options.onDiagnostic?.({ code, message, data });
    } catch {}
    const { environment = 'production' } = options;
    const isQuiet =
      code === 'internal_error' || (environment === 'production' && /^already|option$/.test(code));
    if (options.debug || !(isQuiet || printed.has(code))) console.warn(`[culprit] ${message}`);
    printed.add(code);
  };
}
