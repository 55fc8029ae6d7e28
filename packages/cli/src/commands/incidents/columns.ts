import type { Incident } from '@culprit/contract/incidents/incidents';
import { ageText } from '../../duration.ts';
import type { Column } from '../../output/table.ts';
import type { Terminal } from '../../output/terminal.ts';

/** Lines of this width have space for all columns and a title of 30 characters. */
const WIDE_FROM = 110;
const SERVICE_CHARS_MAX = 30;
const SERVICE_CHARS_NARROW = 13;
/** The end of an id by which lists name an incident without a short number. */
export const ID_END_CHARS = 8;

/**
 * Row, severity, status, count, age of the last activity, service and environment, title, and the short number or, in
 * local mode, the end of the id. Narrow terminals show neither the status, which `--status` selects, nor the id, as
 * the row names the incident.
 */
export function incidentColumns(
  terminal: Pick<Terminal, 'width' | 'isOutTerminal' | 'style'>,
  nowMs: number,
): Column<Incident>[] {
  const isWide = terminal.width >= WIDE_FROM || !terminal.isOutTerminal;
  const row: Column<Incident> = { title: '#', cell: (_, index) => index + 1, isNumber: true };
  const status: Column<Incident> = { title: 'STATUS', cell: ({ status }) => status };
  const id: Column<Incident> = {
    title: 'ID',
    cell: ({ short_id, incident_id }) => short_id ?? incident_id.slice(-ID_END_CHARS),
  };
  return [
    row,
    {
      title: 'SEVERITY',
      cell: ({ severity }) => severity,
      style: ({ severity }, text) => severityStyle(terminal, severity, text),
    },
    ...(isWide ? [status] : []),
    { title: 'COUNT', cell: ({ occurrence_count }) => occurrence_count, isNumber: true },
    { title: 'LAST', cell: ({ last_seen_at }) => ageText(last_seen_at, nowMs), isNumber: true },
    {
      title: 'WHERE',
      cell: ({ service_name, environment }) => `${service_name ?? '-'}/${environment}`,
      widthMax: isWide ? SERVICE_CHARS_MAX : SERVICE_CHARS_NARROW,
    },
    { title: 'TITLE', cell: ({ title }) => title, isFlexible: true },
    ...(isWide ? [id] : []),
  ];
}

/** Severity in colour; the word says the same without it. */
export function severityStyle(terminal: Pick<Terminal, 'style'>, severity: string, text: string): string {
  if (severity === 'critical' || severity === 'high') return terminal.style('red', text);
  return severity === 'medium' ? terminal.style('yellow', text) : text;
}
