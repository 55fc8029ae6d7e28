import type { TriageChange } from '@culprit/contract/incidents/incident-triage';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { PRIORITY_LEVELS } from '@culprit/contract/incidents/triage-words';
import { type News, tellPeople } from '../../../notify/personal/notices.queries.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { parseId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import type { Via } from '../../../workspace/access/via.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { lockIncidents } from '../processing/locked-incidents.queries.ts';
import { findIncidentRecords } from '../reading/incidents.queries.ts';
import {
  type AssigneeName,
  findAssigneeNames,
  findTriage,
  holdAssignedTeam,
  holdAssignee,
  saveTriage,
  type TriageState,
} from './triage.queries.ts';

/** The person who changes something, and the way. */
export interface Actor {
  userId: string;
  via: Via;
  /** Bare; null in a browser. */
  tokenId: string | null;
}

/**
 * Assigns incidents or sets their priority, all or none, in one transaction with their ledger rows
 * (docs/contract/team-workflow.md 2.1, 5.1). What is set already changes nothing.
 * @returns their records in the order of `incidents`
 * @throws Problem `assignee_not_found`
 */
export async function changeTriage(
  { database }: Pick<Runtime, 'database'>,
  actor: Actor,
  incidents: readonly RecordAccess[],
  change: TriageChange,
): Promise<Incident[]> {
  const projectOf = new Map(incidents.map(({ recordId, projectId }) => [recordId, projectId]));
  return await database.transaction(async (transaction) => {
    const held = await lockIncidents(transaction, [...projectOf.keys()]);
    const known = await findTriage(transaction, [...projectOf.keys()]);
    const before = held.map(
      ({ incidentId }) => known.get(incidentId) ?? untouched(incidentId, projectOf.get(incidentId) ?? ''),
    );
    const saved: TriageState[] = [];
    const lifecycle: LifecycleEvent[] = [];
    const nowMs = await readClock(transaction);
    const assignee = await newAssignee(transaction, change, [...new Set(projectOf.values())]);
    const names = await findAssigneeNames(transaction, {
      users: before.flatMap(({ assigneeUserId }) => assigneeUserId ?? []),
      teams: before.flatMap(({ assigneeTeamId }) => assigneeTeamId ?? []),
    });
    for (const state of before) {
      const next = { ...state };
      if (assignee !== undefined) {
        const event = assign(next, assignee, names, actor, nowMs);
        if (event !== null) lifecycle.push(event);
      }
      if (change.priority !== undefined) {
        const event = prioritize(next, change.priority, actor);
        if (event !== null) lifecycle.push(event);
      }
      saved.push(next);
    }
    if (lifecycle.length > 0) saveTriage(transaction, saved);
    if (assignee !== undefined && assignee !== null) tellAssigned(transaction, actor, assignee, lifecycle);
    insertLifecycleEvents(transaction, lifecycle);
    return await recordsInOrder(transaction, [...projectOf.keys()]);
  });
}

/** The records of incidents, in the order of their ids. */
export async function recordsInOrder(
  transaction: Transaction,
  incidentIds: readonly string[],
): Promise<Incident[]> {
  const records = await findIncidentRecords(transaction, incidentIds);
  const byId = new Map(records.map((record) => [parseId(['inc'], record.incident_id), record]));
  return incidentIds.flatMap((id) => byId.get(id) ?? []);
}

/** The state of an incident that no person touched. */
export function untouched(incidentId: string, projectId: string): TriageState {
  const none = { priority: null, assigneeUserId: null, assigneeTeamId: null, assignedAtMs: null };
  return { incidentId, projectId, ...none };
}

/** Undefined: stays unchanged. */
async function newAssignee(
  transaction: Transaction,
  { assignee }: TriageChange,
  projectIds: readonly string[],
): Promise<AssigneeName | null | undefined> {
  if (assignee === undefined || assignee === null) return assignee;
  const id = parseId([], assignee.user_id ?? assignee.team_id ?? '');
  const hold = assignee.user_id === undefined ? holdAssignedTeam : holdAssignee;
  const found = id === null ? null : await hold(transaction, id, projectIds);
  if (found === null) throw new Problem('assignee_not_found');
  return found;
}

function assign(
  state: TriageState,
  assignee: AssigneeName | null,
  names: ReadonlyMap<string, AssigneeName>,
  { userId, via }: Actor,
  nowMs: number,
): LifecycleEvent | null {
  const previousId = state.assigneeUserId ?? state.assigneeTeamId;
  if (previousId === (assignee?.id ?? null)) return null;
  state.assigneeUserId = assignee?.kind === 'user' ? assignee.id : null;
  state.assigneeTeamId = assignee?.kind === 'team' ? assignee.id : null;
  state.assignedAtMs = assignee === null ? null : nowMs;
  const { projectId, incidentId } = state;
  return assignee === null
    ? {
        projectId,
        incidentId,
        kind: 'incident.unassigned',
        data: { user_id: userId, via, assignee: names.get(previousId ?? '') ?? null },
      }
    : { projectId, incidentId, kind: 'incident.assigned', data: { user_id: userId, via, assignee } };
}

/** Notifies a person or a team of the incidents that they were assigned (docs/contract/team-workflow.md 6.4). */
function tellAssigned(
  transaction: Transaction,
  { userId: actorUserId }: Actor,
  { kind, id }: AssigneeName,
  lifecycle: readonly LifecycleEvent[],
): void {
  const whom = kind === 'user' ? { users: [id] } : { teams: [id] };
  const news: News[] = [];
  for (const event of lifecycle) {
    if (event.kind !== 'incident.assigned') continue;
    const { projectId, incidentId } = event;
    news.push({ projectId, incidentId, reason: 'assigned', actorUserId, ...whom });
  }
  tellPeople(transaction, news);
}

function prioritize(
  state: TriageState,
  level: NonNullable<TriageChange['priority']> | null,
  { userId, via }: Actor,
): LifecycleEvent | null {
  const priority = level === null ? null : PRIORITY_LEVELS.indexOf(level);
  if (priority === state.priority) return null;
  const from = state.priority === null ? null : PRIORITY_LEVELS[state.priority];
  state.priority = priority;
  const { projectId, incidentId } = state;
  return {
    projectId,
    incidentId,
    kind: 'incident.prioritized',
    data: { user_id: userId, via, priority_from: from, priority_to: level },
  };
}
