import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { DeviceRequestState } from '@culprit/contract/workspace/github';

/** Why a person whom GitHub knows is refused here (docs/contract/account.md 3.3). */
export type IdentityRefusal = 'github_email_missing' | 'signup_closed' | 'github_identity_conflict';

/** The stored state of a device request. */
export interface DeviceRequestRow {
  status: 'pending' | 'approved' | 'claimed' | 'denied' | 'expired' | 'rejected';
  /** Set exactly for `rejected`. */
  reason: IdentityRefusal | null;
  interval_seconds: number;
  /** Milliseconds since the epoch. */
  expires_at: number;
  is_over: boolean;
}

/**
 * Returns the state for the holder of a request. A decision that was made in time stays; a request that is still
 * pending expires.
 */
export function deviceRequestState(row: DeviceRequestRow): DeviceRequestState {
  const expires_at = formatTimestamp(row.expires_at);
  switch (row.status) {
    case 'claimed':
      return { status: 'claimed', expires_at };
    case 'denied':
      return { status: 'denied', reason: 'access_denied', expires_at };
    case 'rejected':
      if (row.reason === null) throw new Error('a rejected device request has no reason');
      return { status: 'rejected', reason: row.reason, expires_at };
    case 'expired':
      return { status: 'expired', reason: 'expired_token', expires_at };
    default:
      if (row.is_over) return { status: 'expired', reason: 'expired_token', expires_at };
      return row.status === 'approved'
        ? { status: 'approved', expires_at }
        : { status: 'pending', interval_seconds: row.interval_seconds, expires_at };
  }
}
