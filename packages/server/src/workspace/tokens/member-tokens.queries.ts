import type { MemberToken } from '@culprit/contract/workspace/tokens';
import type { Queryable } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { MEMBER_TOKEN_COLUMNS, type MemberTokenRow, memberTokenOf } from './token-records.ts';

/** Statements over a person's own tokens. Each is bound to the person. */

/**
 * Locks a person's row, so that two creations of tokens count one after the other, and says whether their address is
 * verified; null when there is no such person.
 */
export const lockTokenOwner = inTransaction.one<[userId: string], { isVerified: boolean }>(
  'member-token-owner-lock',
  `select email_verified_at is not null as "isVerified" from users where user_id = $1
    for no key update`,
);

/** Tokens of the person that are not revoked. */
export const countLiveMemberTokens = inTransaction.value<[userId: string], number>(
  'member-tokens-live',
  `select count(*) as live from member_tokens where user_id = $1 and revoked_at is null`,
  0,
);

/** A page of the person's tokens, newest first. */
export async function listMemberTokenRows(
  database: Queryable,
  userId: string,
  page: TimePage,
): Promise<MemberToken[]> {
  const rows = await database.query<MemberTokenRow>(
    sql('member-tokens-list')`select ${MEMBER_TOKEN_COLUMNS} from member_tokens
        where user_id = $1 and ($2::timestamptz is null or (created_at, token_id) < ($2, $3::uuid))
        order by created_at desc, token_id desc limit $4`,
    [userId, ...pageParameters(page)],
  );
  return rows.map(memberTokenOf);
}

/** Revokes a live token of the person; null when they have none of that id that is live. */
export const revokeLiveMemberToken = statement.one<
  [userId: string, tokenId: string],
  MemberTokenRow,
  MemberToken
>(
  'member-token-revoke',
  `update member_tokens set revoked_at = culprit_now()
    where user_id = $1 and token_id = $2 and revoked_at is null returning ${MEMBER_TOKEN_COLUMNS}`,
  memberTokenOf,
);

/** One token of the person, live or revoked. */
export const findMemberToken = statement.one<[userId: string, tokenId: string], MemberTokenRow, MemberToken>(
  'member-token-by-id',
  `select ${MEMBER_TOKEN_COLUMNS} from member_tokens where user_id = $1 and token_id = $2`,
  memberTokenOf,
);

/** Deletes every token of a person, revoked ones included; says how many there were. */
export const deleteMemberTokens = inTransaction.count<[userId: string]>(
  'member-tokens-delete',
  'delete from member_tokens where user_id = $1 returning token_id',
);
