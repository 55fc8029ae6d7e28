import { createMemberSet, type MemberSet, type SetChange } from './member-set.ts';
import type { MembersRow, MembersWrite } from './members.queries.ts';

/**
 * The bytes of changes that are stored next to the sets, about two hundred members: the row stays in its page, and sets
 * are written as a whole half as often as with half of it.
 */
const CHANGES_BYTES_MAX = 1600;
/** The memory of an entry beside its members. */
const ENTRY_BYTES = 600;

/** The users and the requests of an incident. */
interface IncidentMembers {
  readonly users: MemberSet;
  readonly requests: MemberSet;
  /** The state of the row that they are; null where there is no row. */
  stamp: bigint | null;
  /** The bytes of changes in the row. */
  changesBytes: number;
}

export function noMembers(): IncidentMembers {
  const nothing = { bytes: new Uint8Array(), isEstimate: false };
  return {
    users: createMemberSet(nothing),
    requests: createMemberSet(nothing),
    stamp: null,
    changesBytes: 0,
  };
}

export function membersOfRow(row: MembersRow): IncidentMembers {
  const { users, requests, changes, stamp } = row;
  const members = {
    users: createMemberSet(users),
    requests: createMemberSet(requests),
    stamp,
    changesBytes: changes.length,
  };
  for (const { isOfRequests, bytes } of blocksOf(changes)) {
    members[isOfRequests ? 'requests' : 'users'].addStored(bytes);
  }
  return members;
}

/**
 * Adds members of signals.
 * @param stamp of the row once it is written
 * @returns what has to be written; null where all were known
 */
export function addMembers(
  members: IncidentMembers,
  added: { users: ReadonlySet<bigint>; requests: ReadonlySet<bigint> },
  stamp: bigint,
): MembersWrite | null {
  const ofUsers = members.users.add(added.users);
  const ofRequests = members.requests.add(added.requests);
  if (ofUsers.length + ofRequests.length === 0) return null;
  const isStored = members.stamp !== null;
  const changesBytes = members.changesBytes + blockBytes(ofUsers) + blockBytes(ofRequests);
  const isWhole =
    !isStored || ofUsers === 'rewritten' || ofRequests === 'rewritten' || changesBytes > CHANGES_BYTES_MAX;
  members.stamp = stamp;
  members.changesBytes = isWhole ? 0 : changesBytes;
  return {
    isStored,
    users: isWhole ? members.users.stored() : null,
    requests: isWhole ? members.requests.stored() : null,
    usersAreEstimated: members.users.isEstimate(),
    requestsAreEstimated: members.requests.isEstimate(),
    changes: isWhole ? new Uint8Array() : Buffer.concat([blockOf(ofUsers, false), blockOf(ofRequests, true)]),
  };
}

/** A block of changes: whose they are, how many bytes (at most `CHANGES_BYTES_MAX`), the bytes. */
const BLOCK_HEAD_BYTES = 3;

function blockBytes(change: SetChange): number {
  return change.length === 0 ? 0 : BLOCK_HEAD_BYTES + change.length;
}

function blockOf(change: SetChange, isOfRequests: boolean): Uint8Array {
  if (change === 'rewritten' || change.length === 0) return new Uint8Array();
  const block = Buffer.alloc(BLOCK_HEAD_BYTES + change.length);
  block.writeUInt8(isOfRequests ? 1 : 0);
  block.writeUInt16BE(change.length, 1);
  block.set(change, BLOCK_HEAD_BYTES);
  return block;
}

function* blocksOf(changes: Buffer): Generator<{ isOfRequests: boolean; bytes: Uint8Array }> {
  let at = 0;
  while (at < changes.length) {
    const end = at + BLOCK_HEAD_BYTES + changes.readUInt16BE(at + 1);
    yield { isOfRequests: changes.readUInt8(at) === 1, bytes: changes.subarray(at + BLOCK_HEAD_BYTES, end) };
    at = end;
  }
}

/**
 * Members of incidents that a thread counted lately, so that a claim does not read them again. What it holds is true only
 * while the row has the same stamp: another worker may have written since, or a transaction failed that had changed it.
 */
export interface MembersMemory {
  /** Takes members out, because they may change. */
  take(incidentId: string): IncidentMembers | undefined;
  keep(incidentId: string, members: IncidentMembers): void;
}

export function createMembersMemory(bytesMax: number): MembersMemory {
  const kept = new Map<string, { members: IncidentMembers; bytes: number }>();
  let bytes = 0;

  function remove(incidentId: string): IncidentMembers | undefined {
    const entry = kept.get(incidentId);
    bytes -= entry?.bytes ?? 0;
    kept.delete(incidentId);
    return entry?.members;
  }

  return {
    take: remove,
    keep(incidentId, members) {
      remove(incidentId);
      const entry = {
        members,
        bytes: ENTRY_BYTES + members.users.sizeBytes() + members.requests.sizeBytes(),
      };
      kept.set(incidentId, entry);
      bytes += entry.bytes;
      for (const oldest of kept.keys()) {
        if (bytes <= bytesMax) break;
        remove(oldest);
      }
    },
  };
}
