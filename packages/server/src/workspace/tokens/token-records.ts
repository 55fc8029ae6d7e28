import type { MemberToken, ProjectToken, TokenAccess } from '@culprit/contract/workspace/tokens';
import { prefixedId } from '../../platform/ids.ts';
import { TOKEN_ENDS_AT } from './tokens.jobs.ts';

/** Live tokens of one project, and of one person (docs/contract/account.md 4.3). */
export const LIVE_TOKENS_MAX = 50;

interface TokenRow {
  token_id: string;
  label: string;
  token_preview: string;
  /** Milliseconds since the epoch, as all times here. */
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
  expires_at: number | null;
}

/** The row that `MEMBER_TOKEN_COLUMNS` selects. */
export interface MemberTokenRow extends TokenRow {
  user_id: string;
  organization_id: string;
  access: TokenAccess;
}

/** The row that `PROJECT_TOKEN_COLUMNS` selects. */
export interface ProjectTokenRow extends TokenRow {
  project_id: string;
  allowed_origins: string[];
}

const COMMON_COLUMNS = `token_id, label, token_preview, created_at, last_used_at, revoked_at,
  ${TOKEN_ENDS_AT} as expires_at`;
export const MEMBER_TOKEN_COLUMNS = `user_id, organization_id, access, ${COMMON_COLUMNS}`;
export const PROJECT_TOKEN_COLUMNS = `project_id, allowed_origins, ${COMMON_COLUMNS}`;

/** Returns the record of docs/contract/account.md 4.2 for a caller with another credential. */
export function memberTokenOf(row: MemberTokenRow): MemberToken {
  const { user_id, organization_id, access } = row;
  return { ...commonFields(row), user_id, organization_id, access, is_current: false };
}

/** The record as this caller sees it. */
export function seenBy(caller: object, token: MemberToken): MemberToken {
  const tokenId = 'tokenId' in caller && typeof caller.tokenId === 'string' ? caller.tokenId : null;
  return { ...token, is_current: tokenId !== null && prefixedId('tok', tokenId) === token.token_id };
}

/** The record of docs/contract/account.md 4.2. */
export function projectTokenOf(row: ProjectTokenRow): ProjectToken {
  return {
    ...commonFields(row),
    project_id: prefixedId('proj', row.project_id),
    allowed_origins: row.allowed_origins,
  };
}

function commonFields(row: TokenRow) {
  return {
    token_id: prefixedId('tok', row.token_id),
    label: row.label,
    token_preview: row.token_preview,
    created_at: new Date(row.created_at).toISOString(),
    last_used_at: isoOrNull(row.last_used_at),
    revoked_at: isoOrNull(row.revoked_at),
    expires_at: isoOrNull(row.expires_at),
  };
}

export function isoOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
