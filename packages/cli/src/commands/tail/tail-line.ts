import type { Incident } from '@culprit/contract/incidents/incidents';
import type { Context } from '../../context.ts';
import { shownTime } from '../../output/shown-time.ts';
import { cutLine, visibleJson, visibleLine } from '../../output/visible-text.ts';
import { severityStyle } from '../incidents/columns.ts';

/** The kind of a line, by the word of the ledger. */
export const TAIL_KINDS = {
  'incident.opened': 'new',
  'incident.regressed': 'regressed',
  'incident.reopened': 'reopened',
  'incident.resolved': 'resolved',
  'incident.spike_detected': 'spike',
  'incident.severity_raised': 'severity',
} as const;
export type TailKind = (typeof TAIL_KINDS)[keyof typeof TAIL_KINDS];

/** A line, as `--json` prints it. */
export interface TailLine {
  at: string;
  kind: TailKind;
  project_id: string;
  incident_id: string;
  title: string;
  severity: string;
  status: string;
  environment: string;
  service_name: string;
  occurrence_count: number;
}

/** An incident as a line of what happened to it. */
export function tailLineOf(incident: Incident, kind: TailKind): TailLine {
  return {
    at: incident.last_seen_at,
    kind,
    project_id: incident.project_id,
    incident_id: incident.incident_id,
    title: incident.title,
    severity: incident.severity,
    status: incident.status,
    environment: incident.environment,
    service_name: incident.service_name ?? '-',
    occurrence_count: incident.occurrence_count,
  };
}

/** Prints a line: JSON, the id alone, or words. */
export function printTailLine({ terminal, globals }: Context, line: TailLine): void {
  if (globals.json || globals.quiet) {
    terminal.out(`${globals.json ? visibleJson(line) : line.incident_id}\n`);
    return;
  }
  const start = `${shownTime(line.at, globals.localTime).slice(11, 19)}  ${line.kind.padEnd(9)}  `;
  const severity = line.severity.padEnd(8);
  const rest = `  ${line.service_name}/${line.environment}  ${line.occurrence_count}×  ${line.title}  ${line.incident_id.slice(-8)}`;
  const width = Math.max(20, terminal.width - start.length - severity.length);
  terminal.out(
    `${start}${severityStyle(terminal, line.severity, severity)}${cutLine(visibleLine(rest), width)}\n`,
  );
}
