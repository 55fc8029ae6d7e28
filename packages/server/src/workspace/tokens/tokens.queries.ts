import type { MemberToken, ProjectToken, TokenAccess } from '@culprit/contract/workspace/tokens';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import {
  MEMBER_TOKEN_COLUMNS,
  type MemberTokenRow,
  memberTokenOf,
  PROJECT_TOKEN_COLUMNS,
  type ProjectTokenRow,
  projectTokenOf,
} from './token-records.ts';
import type { TokenStaleness } from './token-staleness.ts';

/** Writes a project token's row. */
export async function insertProjectToken(
  transaction: Queryable,
  token: {
    tokenId: string;
    projectId: string;
    label: string;
    hash: Buffer;
    preview: string;
    allowedOrigins: readonly string[];
    createdByUserId: string | null;
  },
): Promise<ProjectToken> {
  const [row] = await transaction.query<ProjectTokenRow>(
    sql('project-token-insert')`insert into project_tokens
          (token_id, project_id, label, token_hash, token_preview, allowed_origins, created_by_user_id)
        values ($1, $2, $3, $4, $5, $6, $7) returning ${PROJECT_TOKEN_COLUMNS}`,
    [
      token.tokenId,
      token.projectId,
      token.label,
      token.hash,
      token.preview,
      [...token.allowedOrigins],
      token.createdByUserId,
    ],
  );
  if (row === undefined) throw new Error('the token row was not written');
  return projectTokenOf(row);
}

/** Writes a member token's row. */
export async function insertMemberToken(
  transaction: Transaction,
  token: {
    tokenId: string;
    userId: string;
    organizationId: string;
    label: string;
    access: TokenAccess;
    hash: Buffer;
    preview: string;
  },
): Promise<MemberToken> {
  const [row] = await transaction.query<MemberTokenRow>(
    sql(
      'member-token-insert',
    )`insert into member_tokens (token_id, user_id, organization_id, label, access, token_hash, token_preview)
        values ($1, $2, $3, $4, $5, $6, $7) returning ${MEMBER_TOKEN_COLUMNS}`,
    [token.tokenId, token.userId, token.organizationId, token.label, token.access, token.hash, token.preview],
  );
  if (row === undefined) throw new Error('the token row was not written');
  return memberTokenOf(row);
}

/** The person behind a live member token; marks it used, at most once a minute (docs/contract/account.md 1.6). */
export async function findMemberByToken(
  database: Queryable,
  hash: Buffer,
  staleness: TokenStaleness | null,
): Promise<{ userId: string; tokenId: string; access: TokenAccess } | null> {
  const [row] = await database.query<{
    user_id: string;
    is_stale: boolean;
    token_id: string;
    access: TokenAccess;
  }>(
    sql('member-token-find')`select user_id, token_id, access,
          last_used_at is null or last_used_at < culprit_now() - interval '60 s' as is_stale
        from member_tokens t where token_hash = $1 and revoked_at is null
          and ($2::text is null or not exists (
            select from oidc_identities i where i.user_id = t.user_id and i.issuer = $2
              and i.last_sign_in_at < culprit_now() - make_interval(secs => $3)))`,
    [hash, staleness?.issuer ?? null, staleness?.afterSeconds ?? 0],
  );
  if (row === undefined) return null;
  if (row.is_stale) {
    await database.query(
      sql(
        'member-token-used',
      )`update member_tokens set last_used_at = culprit_now() where token_id = $1 and revoked_at is null`,
      [row.token_id],
    );
  }
  return { userId: row.user_id, tokenId: row.token_id, access: row.access };
}

/** Revokes a token of either kind, if it is live. */
export const revokeToken = inTransaction.run<[tokenId: string]>(
  'token-retire',
  `with of_project as (
      update project_tokens set revoked_at = culprit_now() where token_id = $1 and revoked_at is null
    )
    update member_tokens set revoked_at = culprit_now() where token_id = $1 and revoked_at is null`,
);

/** Revokes the oldest live tokens with a label until at most `keep` of them are left. */
export async function revokeOldestTokens(
  transaction: Transaction,
  scope: { table: 'project_tokens'; projectId: string } | { table: 'member_tokens'; userId: string },
  label: string,
  keep: number,
): Promise<void> {
  const isProject = scope.table === 'project_tokens';
  await transaction.query(
    sql(
      isProject ? 'project-tokens-trim' : 'member-tokens-trim',
    )`update ${scope.table} set revoked_at = culprit_now() where token_id in (
          select token_id from ${scope.table}
          where ${isProject ? "kind = 'token' and project_id" : 'user_id'} = $1 and label = $2 and revoked_at is null
          order by created_at desc, token_id desc offset $3)`,
    [isProject ? scope.projectId : scope.userId, label, keep],
  );
}
