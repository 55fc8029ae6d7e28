import type { Queryable } from '../../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../../platform/db/statement.ts';
import type { DeviceRequestRow, IdentityRefusal } from './device-request.ts';

/**
 * Statements over device requests (docs/contract/account.md 3.4). Each is found by the SHA-256 of the id its holder
 * has.
 */

/**
 * Remembers a device request. Those whose 24 hours after the end are over go with it, and codes that outlived their
 * request, so that nothing is left without a job.
 * @returns when it expires, in milliseconds
 */
export async function insertDeviceRequest(
  database: Queryable,
  request: {
    requestHash: Buffer;
    sealedDeviceCode: Buffer;
    intervalSeconds: number;
    expiresInSeconds: number;
  },
): Promise<number> {
  const [row] = await database.query<{ expires_at: number }>(
    sql('device-request-insert')`with gone as (
          delete from device_requests where request_hash in (
            select request_hash from device_requests where expires_at <= (select culprit_now()) - interval '24 h'
            order by expires_at limit 100 for update skip locked)
        ), over as (
          update device_requests set sealed_device_code = null where request_hash in (
            select request_hash from device_requests
            where sealed_device_code is not null and expires_at <= (select culprit_now())
              and expires_at > (select culprit_now()) - interval '24 h'
            order by expires_at limit 100 for update skip locked)
        )
        insert into device_requests (request_hash, sealed_device_code, interval_seconds, expires_at)
        values ($1, $2, $3, culprit_now() + make_interval(secs => $4))
        returning expires_at`,
    [request.requestHash, request.sealedDeviceCode, request.intervalSeconds, request.expiresInSeconds],
  );
  if (row === undefined) throw new Error('the device request was not stored');
  return row.expires_at;
}

/** Returns the state of a request; null when it is unknown or ended more than 24 hours ago. */
export const findDeviceRequest = statement.one<[requestHash: Buffer], DeviceRequestRow>(
  'device-request-find',
  `select status, reason, interval_seconds, expires_at, expires_at <= culprit_now() as is_over
    from device_requests where request_hash = $1 and expires_at > culprit_now() - interval '24 h'`,
);

/**
 * Takes the one turn of an interval to call GitHub. The next is not due before this one can have ended, so that GitHub
 * never gets two calls at the same time; null when it is not time yet, or there is nothing to wait for.
 */
export async function beginDevicePoll(
  database: Queryable,
  requestHash: Buffer,
  askTimeoutSeconds: number,
): Promise<{ sealedDeviceCode: Buffer } | null> {
  const [row] = await database.query<{ sealed_device_code: Buffer | null }>(
    sql('device-request-turn')`update device_requests
        set next_ask_at = culprit_now() + make_interval(secs => interval_seconds + $2)
        where request_hash = $1 and status = 'pending' and next_ask_at <= culprit_now()
          and expires_at > culprit_now()
        returning sealed_device_code`,
    [requestHash, askTimeoutSeconds],
  );
  const code = row?.sealed_device_code ?? null;
  return code === null ? null : { sealedDeviceCode: code };
}

/** Ends a turn without a decision: the next is due after the interval, which a `slow_down` raises. */
export async function endDevicePoll(
  database: Queryable,
  requestHash: Buffer,
  interval: { raiseBySeconds: number; leastSeconds: number },
): Promise<void> {
  await database.query(
    sql('device-request-turn-end')`update device_requests set
          interval_seconds = greatest(interval_seconds + $2, $3),
          next_ask_at = culprit_now() + make_interval(secs => greatest(interval_seconds + $2, $3))
        where request_hash = $1 and status = 'pending'`,
    [requestHash, interval.raiseBySeconds, interval.leastSeconds],
  );
}

/** Locks a request that is still pending; false when another call has ended it. */
export const lockPendingDeviceRequest = inTransaction.exists<[requestHash: Buffer]>(
  'device-request-lock',
  `select status from device_requests
    where request_hash = $1 and status = 'pending' and expires_at > culprit_now() for update`,
);

/** Ends the waiting of a request; the device code goes with it. */
export async function decideDeviceRequest(
  database: Queryable,
  requestHash: Buffer,
  decision:
    | { status: 'approved'; userId: string }
    | { status: 'rejected'; reason: IdentityRefusal }
    | { status: 'denied' | 'expired' },
): Promise<void> {
  await database.query(
    sql(
      'device-request-decide',
    )`update device_requests set status = $2, user_id = $3, reason = $4, sealed_device_code = null
        where request_hash = $1 and status = 'pending'`,
    [
      requestHash,
      decision.status,
      decision.status === 'approved' ? decision.userId : null,
      decision.status === 'rejected' ? decision.reason : null,
    ],
  );
}

/** Claims an approved request, once; null when it cannot be claimed. The call that changes the row first wins. */
export const claimApprovedRequest = inTransaction.one<[requestHash: Buffer], { userId: string }>(
  'device-request-claim',
  `update device_requests set status = 'claimed'
    where request_hash = $1 and status = 'approved' and expires_at > culprit_now() returning user_id as "userId"`,
);
