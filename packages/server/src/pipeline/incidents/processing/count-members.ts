import {
  addToSketch,
  applyChanges,
  EXACT_MEMBERS_MAX,
  estimateDistinct,
} from '@culprit/evidence/incidents/distinct-counter';
import type { Transaction } from '../../../platform/db/database.ts';
import {
  addMembers,
  findKnownRequests,
  readSketches,
  takeMembers,
  writeSketchChanges,
  writeSketches,
} from './evidence.queries.ts';
import type { SignalGroup } from './hold-groups.ts';

/** The time for which a repeated event is still known (docs/contract/ingestion.md 3.8). */
const REQUESTS_LOOK_BACK_MS = 7 * 24 * 3_600_000;

/** A hundred changes: the most that are stored next to the registers of a sketch. */
const CHANGES_BYTES_MAX = 300;

/**
 * Updates affected users and request counts of held incidents (docs/contract/incidents.md 5.11, 3.6). Runs before the
 * rows of these signals are stored.
 */
export async function countMembers(
  transaction: Transaction,
  groups: readonly SignalGroup[],
  nowMs: number,
): Promise<void> {
  for (const { incident, signals } of groups) {
    for (const { event, hashes } of signals) {
      if (hashes.request === null) incident.occurrencesWithoutRequestId += 1;
      if (event.hasRequest) incident.occurrencesWithRequestBlock += 1;
    }
  }
  await Promise.all([countRequests(transaction, groups, nowMs), countUsers(transaction, groups)]);
}

/** Requests need no separate set: the rows of earlier occurrences show which are known. */
async function countRequests(
  transaction: Transaction,
  groups: readonly SignalGroup[],
  nowMs: number,
): Promise<void> {
  const met: { group: SignalGroup; requestHash: bigint }[] = [];
  for (const group of groups) {
    const hashes = new Set<bigint>();
    for (const { hashes: own } of group.signals) if (own.request !== null) hashes.add(own.request);
    for (const requestHash of hashes) met.push({ group, requestHash });
  }
  const askable = met.filter(({ group }) => !group.isNew);
  const known = await findKnownRequests(
    transaction,
    askable.map(({ group, requestHash }) => ({ incidentId: group.incident.incidentId, requestHash })),
    nowMs - REQUESTS_LOOK_BACK_MS,
  );
  for (const { group, requestHash } of met) {
    if (!known.has(`${group.incident.incidentId} ${requestHash}`)) group.incident.distinctRequests += 1;
  }
}

async function countUsers(transaction: Transaction, groups: readonly SignalGroup[]): Promise<void> {
  const exact: { incidentId: string; member: bigint }[] = [];
  const estimated: { group: SignalGroup; members: Set<bigint> }[] = [];
  for (const group of groups) {
    const members = new Set<bigint>();
    for (const { event } of group.signals) {
      if (event.userHash !== null) members.add(event.userHash);
    }
    if (members.size === 0) continue;
    if (group.incident.affectedUsers >= EXACT_MEMBERS_MAX) estimated.push({ group, members });
    else for (const member of members) exact.push({ incidentId: group.incident.incidentId, member });
  }
  const added = await addMembers(transaction, exact);
  for (const { incident } of groups) incident.affectedUsers += added.get(incident.incidentId) ?? 0;
  await estimateUsers(transaction, estimated);
}

async function estimateUsers(
  transaction: Transaction,
  estimated: readonly { group: SignalGroup; members: Set<bigint> }[],
): Promise<void> {
  const incidentIds = estimated.map(({ group }) => group.incident.incidentId);
  const sketches = await readSketches(transaction, incidentIds);
  // An exact set becomes a sketch with the first member beyond its size.
  const membersOf = new Map(estimated.map(({ group, members }) => [group.incident.incidentId, members]));
  const exactOnes = incidentIds.filter((incidentId) => !sketches.has(incidentId));
  for (const { incidentId, member } of await takeMembers(transaction, exactOnes)) {
    membersOf.get(incidentId)?.add(member);
  }
  const whole: { incidentId: string; registers: Uint8Array }[] = [];
  const changed: { incidentId: string; changes: Uint8Array }[] = [];
  for (const { group, members } of estimated) {
    const { incidentId } = group.incident;
    const stored = sketches.get(incidentId);
    const before = stored === undefined ? null : applyChanges(stored.registers, stored.changes);
    const { registers, changes } = addToSketch(before, members);
    if (stored !== undefined && changes.length === 0) continue;
    const isWhole = stored === undefined || stored.changes.length + changes.length > CHANGES_BYTES_MAX;
    if (isWhole) whole.push({ incidentId, registers });
    else changed.push({ incidentId, changes });
    group.incident.affectedUsers = estimateDistinct({ exactCount: EXACT_MEMBERS_MAX, registers });
  }
  writeSketches(transaction, whole);
  writeSketchChanges(transaction, changed);
}
