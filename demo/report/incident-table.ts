import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { cut, table } from './paper.ts';

const SEVERITY_ORDER = ['critical', 'high', 'medium', 'low'];
const TITLE_LENGTH_MAX = 40;

export function worstFirst(incidents: readonly Incident[]): Incident[] {
  return incidents.toSorted(
    (a, b) =>
      SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) ||
      b.occurrence_count - a.occurrence_count,
  );
}

export function printIncidents(incidents: readonly Incident[]): void {
  const rows = incidents.map((each) => [
    each.severity,
    each.status,
    String(each.occurrence_count).padStart('Count'.length),
    each.service_name ?? '',
    each.title,
  ]);
  table(['Severity', 'Status', 'Count', 'Service', 'Title'], rows);
}

/** Prints the likely causes in the bundles. */
export function printCauses(bundles: readonly DebugBundle[]): void {
  const rows = bundles.map(({ summary }) => [
    cut(summary.title, TITLE_LENGTH_MAX),
    firstSentence(summary.likely_cause ?? 'unknown'),
  ]);
  table(['Title', 'Likely cause'], rows);
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.) (?=[A-Z])/, 1)[0] ?? text;
}
