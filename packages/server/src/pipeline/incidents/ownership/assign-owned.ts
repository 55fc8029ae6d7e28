import { PRIORITY_LEVELS } from '@culprit/contract/incidents/triage-words';
import { readOwnership } from '@culprit/contract/workspace/owner-lines';
import { APPLIED_MAX } from '@culprit/contract/workspace/ownership-limits';
import { type News, tellPeople } from '../../../notify/personal/notices.queries.ts';
import { lifecycleIdsIn } from '../../../notify/personal/personal.jobs.ts';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { finishJobs, type Job } from '../../../platform/jobs/job-queue.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { insertWatchers, type NewWatcher } from '../notes/watchers.queries.ts';
import { lockIncidents } from '../processing/locked-incidents.queries.ts';
import { untouched } from '../triage/change-triage.ts';
import {
  type AssigneeName,
  findTriage,
  holdAssigned,
  saveTriage,
  type TriageState,
} from '../triage/triage.queries.ts';
import { type CompiledOwnership, compileOwnership, decideLine } from './decide-line.ts';
import { knowOwners } from './find-owners.ts';
import {
  findLedgerIncidents,
  findOwnedIncidents,
  findOwnership,
  findOwnershipVersion,
  type OwnedIncident,
} from './ownership.queries.ts';

/** Projects whose lines a process keeps. */
const KEPT_MAX = 50;

const kept = new Map<string, { version: number; ownership: CompiledOwnership }>();

/** Returns the lines of a project in their stored form, compiled once for each version; null if there are none. */
async function storedOwnership(database: Queryable, projectId: string): Promise<CompiledOwnership | null> {
  const version = await findOwnershipVersion(database, projectId);
  if (version === null) return null;
  const known = kept.get(projectId);
  kept.delete(projectId);
  if (known?.version === version) {
    kept.set(projectId, known);
    return known.ownership;
  }
  const stored = await findOwnership(database, projectId);
  if (stored === null) return null;
  const ownership = compileOwnership(readOwnership(stored.text).lines);
  kept.set(projectId, { version: stored.version, ownership });
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return ownership;
}

/** Gives incidents that opened or regressed to their owners, in the transaction that finishes the job. */
export async function ownLedger({ database }: { database: Database }, job: Job): Promise<void> {
  const { fairnessKey: projectId } = job;
  await database.transaction(async (transaction) => {
    await finishJobs(transaction, [job]);
    const ownership = await storedOwnership(transaction, projectId);
    if (ownership === null) return;
    const incidentIds = await findLedgerIncidents(transaction, projectId, lifecycleIdsIn(job.payload));
    const choice = { kind: 'these', incidentIds } as const;
    const { tagKeys, hasMonitors } = ownership;
    const read = { tagKeys, hasMonitors, limit: APPLIED_MAX };
    const found = await findOwnedIncidents(transaction, projectId, choice, read);
    await assignOwned(transaction, projectId, ownership, found);
  });
}

/** Gives the active incidents of a project that no one has to their owners; how many it gave. */
export async function applyToUnassigned(database: Database, projectId: string): Promise<number> {
  return await database.transaction(async (transaction) => {
    const ownership = await storedOwnership(transaction, projectId);
    if (ownership === null) return 0;
    const { tagKeys, hasMonitors } = ownership;
    const read = { tagKeys, hasMonitors, limit: APPLIED_MAX };
    const found = await findOwnedIncidents(transaction, projectId, { kind: 'unassigned' }, read);
    return await assignOwned(transaction, projectId, ownership, found);
  });
}

/**
 * Assigns those that have an owner and that no one has by now, each with a ledger row and a notice, and gives them the
 * priority of their line where a person gave none. How many it assigned.
 */
async function assignOwned(
  transaction: Transaction,
  projectId: string,
  ownership: CompiledOwnership,
  incidents: readonly OwnedIncident[],
): Promise<number> {
  const decided = incidents.flatMap(({ incidentId, facts }) => {
    const line = decideLine(ownership, facts);
    return line === null ? [] : [{ incidentId, line }];
  });
  const lines = [...new Set(decided.map(({ line }) => line))];
  const owners = await knowOwners(transaction, projectId, lines);
  const owned = new Map(
    decided.flatMap(({ incidentId, line }) => {
      const owner = owners.ownerOf(line);
      return owner === null && line.priority === null ? [] : [[incidentId, { owner, line }] as const];
    }),
  );
  if (owned.size === 0) return 0;
  const held = await lockIncidents(transaction, [...owned.keys()]);
  const heldIds = held.map(({ incidentId }) => incidentId);
  const known = await findTriage(transaction, heldIds);
  const assignable = await holdOwners(transaction, projectId, [...owned.values()]);
  const nowMs = await readClock(transaction);
  const saved: TriageState[] = [];
  const lifecycle: LifecycleEvent[] = [];
  const news: News[] = [];
  const watchers: NewWatcher[] = [];
  let assigned = 0;
  for (const incidentId of heldIds) {
    const found = owned.get(incidentId);
    const state = known.get(incidentId) ?? untouched(incidentId, projectId);
    if (found === undefined || state.assigneeUserId !== null || state.assigneeTeamId !== null) continue;
    const { line } = found;
    const owner = found.owner !== null && assignable.has(found.owner.id) ? found.owner : null;
    const next = { ...state };
    if (line.priority !== null && state.priority === null) {
      next.priority = PRIORITY_LEVELS.indexOf(line.priority);
      const data = { priority_from: null, priority_to: line.priority, reason: line.text };
      lifecycle.push({ projectId, incidentId, kind: 'incident.prioritized', data });
    }
    if (owner !== null) {
      const isPerson = owner.kind === 'user';
      next.assigneeUserId = isPerson ? owner.id : null;
      next.assigneeTeamId = isPerson ? null : owner.id;
      next.assignedAtMs = nowMs;
      assigned += 1;
      for (const { kind, id } of owners.watchersOf(line)) {
        watchers.push({ projectId, incidentId, ...(kind === 'user' ? { userId: id } : { teamId: id }) });
      }
      const data = { assignee: owner, reason: line.text };
      lifecycle.push({ projectId, incidentId, kind: 'incident.assigned', data });
      const whom = isPerson ? { users: [owner.id] } : { teams: [owner.id] };
      news.push({ projectId, incidentId, reason: 'assigned', actorUserId: null, ...whom });
    }
    saved.push(next);
  }
  saveTriage(transaction, saved);
  insertWatchers(transaction, watchers);
  insertLifecycleEvents(transaction, lifecycle);
  tellPeople(transaction, news);
  return assigned;
}

/**
 * Returns the ids of owners who still have access, which is held until the transaction ends: a person who leaves at the
 * same moment would otherwise keep the incident.
 */
async function holdOwners(
  transaction: Transaction,
  projectId: string,
  owned: readonly { owner: AssigneeName | null }[],
): Promise<Set<string>> {
  const owners = new Map(owned.flatMap(({ owner }) => (owner === null ? [] : [[owner.id, owner] as const])));
  const held = new Set<string>();
  for (const { kind, id } of [...owners.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const assignee = {
      assigneeUserId: kind === 'user' ? id : null,
      assigneeTeamId: kind === 'team' ? id : null,
    };
    if ((await holdAssigned(transaction, projectId, assignee)) !== null) held.add(id);
  }
  return held;
}
