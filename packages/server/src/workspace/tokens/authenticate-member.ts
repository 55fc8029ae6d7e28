import type { IncomingHttpHeaders } from 'node:http';
import type { TokenAccess } from '@culprit/contract/workspace/tokens';
import type { Queryable } from '../../platform/db/database.ts';
import { bearerToken, isTokenShaped, tokenHash } from './token.ts';
import type { TokenStaleness } from './token-staleness.ts';
import { findMemberByToken } from './tokens.queries.ts';

/** A person, as an operation sees its caller. What they may see and do is looked up for each request. */
export interface Member {
  userId: string;
}

/** A person with a member token. */
export interface TokenCaller extends Member {
  /** Bare. */
  tokenId: string;
  /** The access of the token; the binder refuses changes to one that may only read. */
  access: TokenAccess;
}

/** The member behind the request's credential; null when it is missing, unknown, revoked or of another kind. */
export async function authenticateMember(
  database: Queryable,
  headers: IncomingHttpHeaders,
  staleness: TokenStaleness | null,
): Promise<TokenCaller | null> {
  const token = bearerToken(headers.authorization);
  if (token === null || !isTokenShaped('member', token)) return null;
  return await findMemberByToken(database, tokenHash(token), staleness);
}
