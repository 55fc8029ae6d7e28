import type { Transaction } from '../../platform/db/database.ts';
import { dueTimeOf, enqueue } from '../../platform/jobs/enqueue.ts';

/** The lane of what becomes of tokens by itself. */
export const TOKENS_LANE = 'tokens';

/** Job kind: revokes a replaced token when its overlap ends; the key is the token. */
export const RETIRE_TOKEN = { lane: TOKENS_LANE, kind: 'tokens.retire' } as const;

/** The time at which a rotated token that still works ends: an expression over a row of either table of tokens. */
export const TOKEN_ENDS_AT = `case when revoked_at is null then ${dueTimeOf(RETIRE_TOKEN, 'token_id::text')} end`;

/**
 * Plans the end of a token, inside the transaction that makes the one in its place. An end that is planned already is
 * never moved back.
 * @param token.ownerId the project of a project token, the person of a member token
 */
export function planTokenEnd(
  transaction: Transaction,
  { tokenId, ownerId, hours }: { tokenId: string; ownerId: string; hours: number },
): void {
  transaction.send(PLAN, [tokenId, ownerId, hours]);
}

const PLAN = {
  name: 'token-retire-queue',
  text: enqueue({
    job: RETIRE_TOKEN,
    fairnessKey: '$2::uuid',
    key: '$1::uuid::text',
    payload: `jsonb_build_object('tokenId', $1::uuid)`,
    runAt: 'culprit_now() + make_interval(hours => $3)',
    whenQueued: { update: 'set run_at = least(j.run_at, excluded.run_at), revision = j.revision + 1' },
  }),
};

/** Reads the payload of `RETIRE_TOKEN` back from its row. */
export function readRetirePayload({ tokenId }: Record<string, unknown>): string {
  if (typeof tokenId !== 'string') throw new Error('unreadable retire job');
  return tokenId;
}
