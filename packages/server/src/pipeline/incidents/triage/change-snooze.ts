import { SNOOZE_DAYS_MAX, type SnoozeRequest } from '@culprit/contract/incidents/incident-snooze';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { formatTimestamp, parseRequestTimestamp } from '@culprit/contract/schemas/timestamps';
import { escalationCount } from '@culprit/evidence/incidents/snooze';
import { readClock } from '../../../platform/db/read-clock.ts';
import { invalidPayload } from '../../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import type { Runtime } from '../../../runtime.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import { insertLifecycleEvents } from '../../ledger/lifecycle.queries.ts';
import {
  type LockedIncident,
  lockIncidents,
  updateIncidents,
} from '../processing/locked-incidents.queries.ts';
import { wake } from '../processing/wake-incident.ts';
import { type Actor, recordsInOrder } from './change-triage.ts';
import { findHours, type NewSnooze, saveSnoozes } from './snooze.queries.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const BASELINE_DAYS = 7;

/** Returns the end of a snooze, in milliseconds since the epoch. @throws Problem `invalid_payload` */
export function snoozeEnd({ until }: Pick<SnoozeRequest, 'until'>, nowMs: number): number {
  const untilMs = parseRequestTimestamp(until);
  const isAhead =
    untilMs !== null && untilMs >= nowMs + MINUTE_MS && untilMs <= nowMs + SNOOZE_DAYS_MAX * DAY_MS;
  if (!isAhead) throw invalidPayload('/until', `must lie 1 minute to ${SNOOZE_DAYS_MAX} days ahead`);
  return untilMs;
}

/**
 * Snoozes incidents, all or none, in one transaction with their ledger rows (docs/contract/team-workflow.md 3).
 * @returns their records in the order of `incidents`
 * @throws Problem `invalid_payload`, `incident_resolved`
 */
export async function snoozeIncidents(
  { database }: Pick<Runtime, 'database'>,
  actor: Actor,
  incidents: readonly RecordAccess[],
  asked: SnoozeRequest,
): Promise<Incident[]> {
  const projectOf = new Map(incidents.map(({ recordId, projectId }) => [recordId, projectId]));
  const incidentIds = [...projectOf.keys()];
  return await database.transaction(async (transaction) => {
    const held = await lockIncidents(transaction, incidentIds);
    const nowMs = await readClock(transaction);
    const untilMs = snoozeEnd(asked, nowMs);
    if (held.some(({ state }) => state.status === 'resolved')) throw new Problem('incident_resolved');
    const hours = await findHours(transaction, incidentIds, nowMs - BASELINE_DAYS * DAY_MS);
    const snoozes = held.map((incident): NewSnooze => {
      const { incidentId } = incident;
      const occurred = [...(hours.get(incidentId)?.values() ?? [])].reduce((sum, each) => sum + each, 0);
      return {
        ...conditionsOf(incident, asked, occurred, nowMs),
        incidentId,
        projectId: projectOf.get(incidentId) ?? '',
        untilMs,
        setAtMs: nowMs,
        userId: actor.userId,
      };
    });
    saveSnoozes(transaction, snoozes);
    insertLifecycleEvents(
      transaction,
      snoozes.map(({ incidentId, projectId, reason }) => ({
        projectId,
        incidentId,
        kind: 'incident.snoozed',
        data: { user_id: actor.userId, via: actor.via, until: formatTimestamp(untilMs), reason },
      })),
    );
    return await recordsInOrder(transaction, incidentIds);
  });
}

function conditionsOf(
  { state, affectedUsers }: LockedIncident,
  asked: SnoozeRequest,
  occurredInSevenDays: number,
  nowMs: number,
): Pick<NewSnooze, 'reason' | 'countAtStart' | 'atCount' | 'atUsers' | 'afterDeployMs' | 'atHourly'> {
  const { for_occurrences: occurrences, for_users: users } = asked;
  return {
    reason: asked.reason ?? null,
    countAtStart: state.occurrenceCount,
    atCount: occurrences === undefined ? null : state.occurrenceCount + occurrences,
    atUsers: users === undefined ? null : affectedUsers + users,
    afterDeployMs: asked.until_next_release === true ? nowMs : null,
    atHourly: asked.wakes_on_escalation === false ? null : escalationCount(occurredInSevenDays),
  };
}

/** Wakes incidents by hand; those that are awake stay unchanged and emit nothing. */
export async function wakeIncidents(
  { database }: Pick<Runtime, 'database'>,
  { userId, via }: Actor,
  incidents: readonly RecordAccess[],
): Promise<Incident[]> {
  const projectOf = new Map(incidents.map(({ recordId, projectId }) => [recordId, projectId]));
  const incidentIds = [...projectOf.keys()];
  return await database.transaction(async (transaction) => {
    const asleep = (await lockIncidents(transaction, incidentIds)).filter(({ snooze }) => snooze !== null);
    insertLifecycleEvents(
      transaction,
      asleep.map((incident) =>
        wake(incident, projectOf.get(incident.incidentId) ?? '', 'person', { user_id: userId, via }),
      ),
    );
    updateIncidents(transaction, asleep);
    return await recordsInOrder(transaction, incidentIds);
  });
}
