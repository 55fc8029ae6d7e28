import type { IncomingHttpHeaders } from 'node:http';
import type { Queryable } from '../platform/db/database.ts';
import { bearerToken, isTokenShaped, tokenHash } from './token.ts';
import { findMemberByToken } from './tokens.queries.ts';

/** A person, as an operation sees its caller. What they may see and do is looked up for each request. */
export interface Member {
  userId: string;
}

/** The member behind the request's credential; null when it is missing, unknown, revoked or of another kind. */
export async function authenticateMember(
  database: Queryable,
  headers: IncomingHttpHeaders,
): Promise<Member | null> {
  const token = bearerToken(headers.authorization);
  if (token === null || !isTokenShaped('member', token)) return null;
  return await findMemberByToken(database, tokenHash(token));
}
