import type { DiagnosticCode, DiagnosticData } from '../../sdk-core/src/diagnostics.ts';

/** What production builds print: a code, what is known of the case, and the page that explains the code. */
export function lineOf(code: DiagnosticCode, data: DiagnosticData): string {
  return `${code} ${JSON.stringify(data)} (README of @culprit/browser, Messages)`;
}

/** Development builds have a suggestion. */
export function nearestOf(_option: string, _known: readonly string[]): string {
  return '';
}
