import { binaryArray } from '../../../platform/db/binary-array.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import type { StoredSet } from './member-set.ts';

/** Statements over the distinct users and requests of incidents. */

/** A stored row. */
export interface MembersRow {
  users: StoredSet;
  requests: StoredSet;
  stamp: bigint;
  changes: Buffer;
}

/** The rows of held incidents, by incident id: those whose stamp is not the known one, else null. */
export async function readMembers(
  transaction: Transaction,
  projectId: string,
  incidents: readonly { incidentId: string; stamp: bigint | null }[],
): Promise<Map<string, MembersRow | null>> {
  if (incidents.length === 0) return new Map();
  const rows = await transaction.query<{
    incident_id: string;
    stamp: string;
    users: Buffer | null;
    requests: Buffer | null;
    changes: Buffer | null;
    users_are_estimated: boolean;
    requests_are_estimated: boolean;
  }>(
    sql(
      'members-read',
    )`select m.incident_id, m.stamp::text as stamp, m.users_are_estimated, m.requests_are_estimated,
          case when m.stamp is distinct from k.stamp then m.users end as users,
          case when m.stamp is distinct from k.stamp then m.requests end as requests,
          case when m.stamp is distinct from k.stamp then m.changes end as changes
        from unnest($2::uuid[], $3::bigint[]) as k (incident_id, stamp)
        join incident_members m on m.project_id = $1 and m.incident_id = k.incident_id`,
    [
      projectId,
      binaryArray(
        'uuid',
        incidents.map(({ incidentId }) => incidentId),
      ),
      binaryArray(
        'bigint',
        incidents.map(({ stamp }) => stamp),
      ),
    ],
  );
  return new Map(
    rows.map((row) => {
      const { users, requests, changes } = row;
      if (users === null || requests === null || changes === null) return [row.incident_id, null];
      const stored: MembersRow = {
        users: { bytes: users, isEstimate: row.users_are_estimated },
        requests: { bytes: requests, isEstimate: row.requests_are_estimated },
        stamp: BigInt(row.stamp),
        changes,
      };
      return [row.incident_id, stored];
    }),
  );
}

/** A change of a row: both sets as a whole, or what came to them. */
export interface MembersWrite {
  /** There is a row. */
  isStored: boolean;
  users: Uint8Array | null;
  requests: Uint8Array | null;
  usersAreEstimated: boolean;
  requestsAreEstimated: boolean;
  changes: Uint8Array;
}

/** Writes what changed. Sets that stay are outside of their rows, mostly, and are not written again. */
export function writeMembers(
  transaction: Transaction,
  projectId: string,
  stamp: bigint,
  writes: readonly (MembersWrite & { incidentId: string })[],
): void {
  const stored = writes.filter(({ isStored }) => isStored);
  const made = writes.filter(({ isStored }) => !isStored);
  if (stored.length > 0) transaction.send(CHANGE, [projectId, String(stamp), ...columnsOf(stored)]);
  if (made.length > 0) transaction.send(MAKE, [projectId, String(stamp), ...columnsOf(made)]);
}

function columnsOf(writes: readonly (MembersWrite & { incidentId: string })[]) {
  return [
    binaryArray(
      'uuid',
      writes.map(({ incidentId }) => incidentId),
    ),
    binaryArray(
      'bytea',
      writes.map(({ users }) => users),
    ),
    binaryArray(
      'bytea',
      writes.map(({ requests }) => requests),
    ),
    binaryArray(
      'boolean',
      writes.map((each) => each.usersAreEstimated),
    ),
    binaryArray(
      'boolean',
      writes.map((each) => each.requestsAreEstimated),
    ),
    binaryArray(
      'bytea',
      writes.map(({ changes }) => changes),
    ),
  ];
}

const GIVEN = `unnest($3::uuid[], $4::bytea[], $5::bytea[], $6::boolean[], $7::boolean[], $8::bytea[])
    as n (incident_id, users, requests, users_are_estimated, requests_are_estimated, changes)`;

const CHANGE = sql('members-change')`update incident_members m set
      users = coalesce(n.users, m.users), requests = coalesce(n.requests, m.requests),
      users_are_estimated = n.users_are_estimated, requests_are_estimated = n.requests_are_estimated, stamp = $2,
      changes = case when n.users is null then n.changes || m.changes else '' end
    from ${GIVEN} where m.project_id = $1 and m.incident_id = n.incident_id`;

const MAKE = sql(
  'members-make',
)`insert into incident_members (project_id, incident_id, users, requests, users_are_estimated,
      requests_are_estimated, stamp)
    select $1, n.incident_id, n.users, n.requests, n.users_are_estimated, n.requests_are_estimated, $2 from ${GIVEN}`;
