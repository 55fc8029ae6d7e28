import { triageFacts } from '../evidence/incident-answer.ts';
import { type IncidentChanges, SourceError } from '../source.ts';
import { cutText, harmlessLine } from '../text/harmless-text.ts';
import type { ToolInput } from './tool-table.ts';

/** The limit of changes that one process makes in an hour (docs/contract/command-line.md 5.8). */
export const CHANGES_PER_HOUR = 20;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const EXPIRES_IN_DAYS = 30;
const PROBE_TTL_SECONDS = 900;
/** Characters of a note that a person sees before confirming it. */
const SHOWN_NOTE_CHARACTERS = 500;

/** Checks the limit of changes, and counts each one. */
export interface ChangeLimit {
  /** @throws SourceError when there were too many in the last hour */
  take(): void;
}

/** Counts the changes of this process, over all conversations; those of each credential on their own. */
export function createChangeLimits(nowMs: () => number = Date.now): (credential: string) => ChangeLimit {
  const taken = new Map<string, number[]>();
  return (credential) => ({
    take() {
      const since = nowMs() - HOUR_MS;
      for (const [each, times] of taken) {
        const recent = times.filter((atMs) => atMs > since);
        if (recent.length === 0) taken.delete(each);
        else taken.set(each, recent);
      }
      const own = taken.get(credential) ?? [];
      if (own.length >= CHANGES_PER_HOUR) {
        throw new SourceError(
          `${CHANGES_PER_HOUR} changes were made in the last hour, which is the limit.`,
          'let the user make the change with the culprit command or in the dashboard',
        );
      }
      taken.set(credential, [...own, nowMs()]);
    },
  });
}

/** The effect of a change in facts of the service, for the person who is asked. */
export function effectOf(
  change:
    | { name: 'triage_incident'; input: ToolInput<'triage_incident'> }
    | { name: 'set_incident_status'; input: ToolInput<'set_incident_status'> }
    | { name: 'create_capture_rule'; input: ToolInput<'create_capture_rule'> }
    | { name: 'activate_probe'; input: ToolInput<'activate_probe'> },
): string {
  switch (change.name) {
    case 'triage_incident': {
      const { incident_id, assignee, priority, snooze_until, note, fix_url, ticket, resolved_in } =
        change.input;
      const effects = [
        assignee === undefined ? [] : assignee === null ? 'unassign it' : `assign it to ${assignee}`,
        priority === undefined ? [] : `set its priority to ${priority ?? 'that of the rules'}`,
        snooze_until === undefined
          ? []
          : snooze_until === null
            ? 'wake it'
            : `snooze it until ${snooze_until}`,
        resolved_in === undefined ? [] : `resolve it in release ${resolved_in}`,
        fix_url === undefined ? [] : `propose the fix ${fix_url}`,
        ticket === undefined ? [] : ticket === 'new' ? 'create a ticket' : `link the ticket ${ticket}`,
        note === undefined ? [] : `write the note "${cutText(note, SHOWN_NOTE_CHARACTERS)}"`,
      ].flat();
      return `Change incident ${incident_id}: ${effects.map((effect) => harmlessLine(effect)).join('; ')}?`;
    }
    case 'set_incident_status': {
      const { incident_ids: ids, status } = change.input;
      const count = ids.length === 1 ? 'this incident' : `these ${ids.length} incidents`;
      return `${status === 'resolved' ? 'Resolve' : 'Reopen'} ${count}? ${ids.slice(0, 10).join(', ')}${ids.length > 10 ? ', …' : ''}`;
    }
    case 'create_capture_rule': {
      const { incident_id, suggestion_id, enabled = false, expires_in_days = EXPIRES_IN_DAYS } = change.input;
      return `Create the filter ${suggestion_id} of incident ${incident_id}, ${enabled ? 'enabled' : 'disabled'}, for ${expires_in_days} days? Events that it matches are kept without incident, sampled or discarded.`;
    }
    case 'activate_probe': {
      const { project, label_pattern, ttl_seconds = PROBE_TTL_SECONDS } = change.input;
      return `Enable the probe ${label_pattern} in project ${project} for ${ttl_seconds} seconds?`;
    }
  }
}

/** Changes one incident, and reports what it is now. */
export async function triageIncident(
  changes: IncidentChanges,
  input: ToolInput<'triage_incident'>,
): Promise<string> {
  const incident = await changes.triage(input.incident_id, {
    assignee: input.assignee,
    priority: input.priority,
    snoozeUntil: input.snooze_until,
    note: input.note,
    fixUrl: input.fix_url,
    ticket: input.ticket,
    resolvedIn: input.resolved_in,
  });
  const state = [incident.status, `priority ${incident.triage.priority.level}`, ...triageFacts(incident)];
  return `${incident.incident_id} is ${state.join(' · ')}`;
}

export async function setIncidentStatus(
  changes: IncidentChanges,
  input: ToolInput<'set_incident_status'>,
): Promise<string> {
  const incidents = await changes.setStatus(input.incident_ids, input.status);
  return incidents.map(({ incident_id, status }) => `${incident_id} is ${status}`).join('\n');
}

export async function createCaptureRule(
  changes: IncidentChanges,
  input: ToolInput<'create_capture_rule'>,
): Promise<string> {
  const { incident_id, suggestion_id, enabled = false, expires_in_days = EXPIRES_IN_DAYS } = input;
  const expiresAt = new Date(Date.now() + expires_in_days * DAY_MS).toISOString();
  const { ruleId, isEnabled } = await changes.createCaptureRule({
    incidentId: incident_id,
    suggestionId: suggestion_id,
    isEnabled: enabled,
    expiresAt,
  });
  return `Filter ${ruleId} is created and ${isEnabled ? 'enabled' : 'disabled'}, until ${expiresAt}.`;
}

export async function activateProbe(
  changes: IncidentChanges,
  input: ToolInput<'activate_probe'>,
): Promise<string> {
  const { project, label_pattern, service, environment, ttl_seconds = PROBE_TTL_SECONDS } = input;
  const { activationId, expiresAt } = await changes.activateProbe({
    project,
    labelPattern: label_pattern,
    ttlSeconds: ttl_seconds,
    ...(service === undefined ? {} : { service }),
    ...(environment === undefined ? {} : { environment }),
  });
  return `Probe ${activationId} is on until ${expiresAt}. Its data appears in section probes of later incidents.`;
}
