import type { Diagnose, DiagnosticCode, DiagnosticData } from '../../sdk-core/src/diagnostics.ts';

/** Returns the line that production builds print: a code, the data of the case, and the page that explains the code. */
export function lineOf(code: DiagnosticCode, data: DiagnosticData): string {
  return `${code} ${JSON.stringify(data)} (README of @culprit/browser, Messages)`;
}

/** Looked for while a page is developed. */
export function reportUnknownOptions(_options: object, _diagnose: Diagnose): void {}
