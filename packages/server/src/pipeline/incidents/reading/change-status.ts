import type { Incident, ResolveRequest } from '@culprit/contract/incidents/incidents';
import {
  type IncidentState,
  reopenIncident,
  resolveIncident,
} from '@culprit/evidence/incidents/incident-state';
import { NO_DEPLOY } from '@culprit/evidence/incidents/regression';
import { latestRelease } from '@culprit/evidence/incidents/release-order';
import type { Transaction } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { invalidPayload } from '../../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { parseId } from '../../../platform/ids.ts';
import { findServiceReleases } from '../../../releases/release-order.queries.ts';
import type { Runtime } from '../../../runtime.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import type { Member } from '../../../workspace/tokens/authenticate-member.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import {
  type LockedIncident,
  lockIncidents,
  updateIncidents,
} from '../processing/locked-incidents.queries.ts';
import { settleResolutions, writeResolutions } from '../releases/resolutions.queries.ts';
import { findIncidentRecords, findPlaces } from './incidents.queries.ts';

/** A member's change of incidents. */
export type StatusChange = 'resolve' | 'reopen';

/** The release in which incidents are resolved. */
export interface ResolveTarget {
  in: 'next_release' | 'release';
  /** Null for the next one. */
  version: string | null;
}

/** The release that a request resolves in; null without one. @throws Problem `invalid_payload` */
export function checkResolveTarget({ body }: { body: ResolveRequest }): ResolveTarget | null {
  const version = body.version?.trim() ?? null;
  if ((body.in === 'release') !== (version !== null))
    throw invalidPayload('/version', 'must be given with "in": "release", and only then');
  return body.in === undefined ? null : { in: body.in, version };
}

/**
 * Resolves or reopens incidents, all or none, in one transaction with their ledger rows (docs/contract/incidents.md
 * 1.4, 2.3). Incidents that are already there come back unchanged and emit nothing.
 * @returns their records in the order of `incidents`
 */
export async function changeStatus(
  { database }: Runtime,
  member: Member,
  incidents: readonly RecordAccess[],
  change: StatusChange,
  target: ResolveTarget | null = null,
): Promise<Incident[]> {
  const incidentIds = incidents.map(({ recordId }) => recordId);
  return await database.transaction(async (transaction) => {
    const held = await lockIncidents(transaction, incidentIds);
    const nowMs = await readClock(transaction);
    const moved: LockedIncident[] = [];
    for (const incident of held) {
      const state = nextState(incident.state, change, member, nowMs);
      if (state !== null) moved.push({ ...incident, state });
    }
    updateIncidents(transaction, moved);
    await settleTargets(transaction, incidents, change, target, moved);
    insertLifecycleEvents(transaction, ledgerRows(moved, incidents, member, change, target));
    const records = await findIncidentRecords(transaction, incidentIds);
    const byId = new Map(records.map((record) => [parseId(['inc'], record.incident_id), record]));
    return incidentIds.flatMap((id) => byId.get(id) ?? []);
  });
}

/**
 * Writes the releases in which incidents are resolved; those of incidents that are resolved already change too.
 * @throws Problem `release_unknown` where a service has no release that the next one could follow
 */
async function settleTargets(
  transaction: Transaction,
  incidents: readonly RecordAccess[],
  change: StatusChange,
  target: ResolveTarget | null,
  moved: readonly LockedIncident[],
): Promise<void> {
  if (change === 'reopen') {
    settleResolutions(
      transaction,
      moved.map(({ incidentId }) => ({ incidentId, isEnded: true, version: null, oldReleases: [] })),
    );
    return;
  }
  if (target === null) return;
  const places = await findPlaces(
    transaction,
    incidents.map(({ recordId }) => recordId),
  );
  const latest = new Map<string, string | null>();
  const resolutions = [];
  for (const { incidentId, projectId, serviceName, environment } of places) {
    let afterVersion: string | null = null;
    if (target.in === 'next_release') {
      const key = JSON.stringify([projectId, serviceName, environment]);
      const known = latest.get(key);
      afterVersion =
        known ??
        latestRelease(await findServiceReleases(transaction, projectId, { serviceName, environment }))
          ?.version ??
        null;
      if (afterVersion === null) throw new Problem('release_unknown');
      latest.set(key, afterVersion);
    }
    resolutions.push({ incidentId, projectId, kind: target.in, afterVersion, version: target.version });
  }
  await writeResolutions(transaction, resolutions);
}

function nextState(
  state: IncidentState,
  change: StatusChange,
  member: Member,
  nowMs: number,
): IncidentState | null {
  return change === 'resolve' ? resolveIncident(state, member.userId, nowMs) : reopenIncident(state, nowMs);
}

function ledgerRows(
  moved: readonly LockedIncident[],
  incidents: readonly RecordAccess[],
  member: Member,
  change: StatusChange,
  target: ResolveTarget | null,
): LifecycleEvent[] {
  const projectOf = new Map(incidents.map(({ recordId, projectId }) => [recordId, projectId]));
  return moved.map(({ incidentId }) => ({
    projectId: projectOf.get(incidentId) ?? '',
    incidentId,
    kind: change === 'resolve' ? 'incident.resolved' : 'incident.reopened',
    data:
      change === 'resolve'
        ? { user_id: member.userId, ...(target === null ? {} : { in: target.in, release: target.version }) }
        : { user_id: member.userId, ...NO_DEPLOY },
  }));
}
