import type { MemberToken } from '@culprit/contract/workspace/tokens';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { MEMBER_TOKEN_COLUMNS, type MemberTokenRow, memberTokenOf } from './token-records.ts';

/** Statements over a person's own tokens. Each is bound to the person. */

/**
 * Locks a person's row, so that two creations of tokens count one after the other, and says whether their address is
 * verified; null when there is no such person.
 */
export async function lockTokenOwner(
  transaction: Transaction,
  userId: string,
): Promise<{ isVerified: boolean } | null> {
  const [row] = await transaction.query<{ is_verified: boolean }>(
    {
      name: 'member-token-owner-lock',
      text: `select email_verified_at is not null as is_verified from users where user_id = $1
        for no key update`,
    },
    [userId],
  );
  return row === undefined ? null : { isVerified: row.is_verified };
}

/** Tokens of the person that are not revoked. */
export async function countLiveMemberTokens(transaction: Transaction, userId: string): Promise<number> {
  const [row] = await transaction.query<{ live: number }>(
    {
      name: 'member-tokens-live',
      text: `select count(*) as live from member_tokens where user_id = $1 and revoked_at is null`,
    },
    [userId],
  );
  return row?.live ?? 0;
}

/** A page of the person's tokens, newest first. */
export async function listMemberTokenRows(
  database: Queryable,
  userId: string,
  page: TimePage,
): Promise<MemberToken[]> {
  const rows = await database.query<MemberTokenRow>(
    {
      name: 'member-tokens-list',
      text: `select ${MEMBER_TOKEN_COLUMNS} from member_tokens
        where user_id = $1 and ($2::timestamptz is null or (created_at, token_id) < ($2, $3::uuid))
        order by created_at desc, token_id desc limit $4`,
    },
    [userId, ...pageParameters(page)],
  );
  return rows.map(memberTokenOf);
}

/** Revokes a live token of the person; null when they have none of that id that is live. */
export async function revokeLiveMemberToken(
  database: Queryable,
  userId: string,
  tokenId: string,
): Promise<MemberToken | null> {
  const [row] = await database.query<MemberTokenRow>(
    {
      name: 'member-token-revoke',
      text: `update member_tokens set revoked_at = culprit_now()
        where user_id = $1 and token_id = $2 and revoked_at is null returning ${MEMBER_TOKEN_COLUMNS}`,
    },
    [userId, tokenId],
  );
  return row === undefined ? null : memberTokenOf(row);
}

/** One token of the person, live or revoked. */
export async function findMemberToken(
  database: Queryable,
  userId: string,
  tokenId: string,
): Promise<MemberToken | null> {
  const [row] = await database.query<MemberTokenRow>(
    {
      name: 'member-token-by-id',
      text: `select ${MEMBER_TOKEN_COLUMNS} from member_tokens where user_id = $1 and token_id = $2`,
    },
    [userId, tokenId],
  );
  return row === undefined ? null : memberTokenOf(row);
}

/** Deletes every token of a person, revoked ones included; says how many there were. */
export async function deleteMemberTokens(transaction: Transaction, userId: string): Promise<number> {
  const rows = await transaction.query(
    {
      name: 'member-tokens-delete',
      text: 'delete from member_tokens where user_id = $1 returning token_id',
    },
    [userId],
  );
  return rows.length;
}
