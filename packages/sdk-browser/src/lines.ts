import { attempt } from '../../sdk-core/src/attempt.ts';
import type { Diagnose, DiagnosticCode, DiagnosticData } from '../../sdk-core/src/diagnostics.ts';
import type { CommonOptions } from '../../sdk-core/src/options.ts';
import { lineOf } from './codes.ts';

const printed = new Set<DiagnosticCode>();

/** Passes every diagnostic to the host's function, and prints each code once per page. */
export function createDiagnose(options: CommonOptions, facts: DiagnosticData): Diagnose {
  return (code, given) => {
    const data = { ...facts, ...given };
    const message = lineOf(code, data);
    attempt(() => options.onDiagnostic?.({ code, message, data }));
    const { environment = 'production' } = options;
    const isQuiet =
      code === 'internal_error' || (environment === 'production' && /^already|option$/.test(code));
    if (options.debug || !(isQuiet || printed.has(code))) console.warn(`[culprit] ${message}`);
    printed.add(code);
  };
}
