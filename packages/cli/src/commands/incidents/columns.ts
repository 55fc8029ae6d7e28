import type { Incident } from '@culprit/contract/incidents/incidents';
import { ageText } from '../../duration.ts';
import type { Column } from '../../output/table.ts';
import type { Terminal } from '../../output/terminal.ts';

const SERVICE_CHARS_MAX = 30;
/** The end of an id by which lists name an incident without a short number. */
export const ID_END_CHARS = 8;

/** Row, severity, status, count, age of the last activity, service and environment, title, and the short number or, in local mode, the end of the id. */
export function incidentColumns(terminal: Terminal, nowMs: number): Column<Incident>[] {
  return [
    { title: '#', cell: (_, index) => index + 1, isNumber: true },
    {
      title: 'SEVERITY',
      cell: ({ severity }) => severity,
      style: ({ severity }, text) => severityStyle(terminal, severity, text),
    },
    { title: 'STATUS', cell: ({ status }) => status },
    { title: 'COUNT', cell: ({ occurrence_count }) => occurrence_count, isNumber: true },
    { title: 'LAST', cell: ({ last_seen_at }) => ageText(last_seen_at, nowMs), isNumber: true },
    {
      title: 'WHERE',
      cell: ({ service_name, environment }) => `${service_name ?? '-'}/${environment}`,
      widthMax: SERVICE_CHARS_MAX,
    },
    { title: 'TITLE', cell: ({ title }) => title, isFlexible: true },
    { title: 'ID', cell: ({ short_id, incident_id }) => short_id ?? incident_id.slice(-ID_END_CHARS) },
  ];
}

/** Severity in colour; the word says the same without it. */
export function severityStyle(terminal: Terminal, severity: string, text: string): string {
  if (severity === 'critical' || severity === 'high') return terminal.style('red', text);
  return severity === 'medium' ? terminal.style('yellow', text) : text;
}
