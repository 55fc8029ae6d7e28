import type { Incident } from '@culprit/contract/incidents';

/** A priority and where it comes from, such as `high (new, spiking)`. */
export function priorityText({ triage: { priority } }: Pick<Incident, 'triage'>): string {
  const { level, reasons, is_manual: isManual } = priority;
  const because = isManual ? 'set by hand' : reasons.join(', ').replaceAll('_', ' ');
  return because === '' ? level : `${level} (${because})`;
}
