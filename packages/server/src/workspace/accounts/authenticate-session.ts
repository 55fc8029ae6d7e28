import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Queryable } from '../../platform/db/database.ts';
import { authenticateMember, type Member, type TokenCaller } from '../tokens/authenticate-member.ts';
import type { TokenStaleness } from '../tokens/token-staleness.ts';
import { readSessionCookie, sessionSecretHash } from './session-secrets.ts';
import { findLiveSession } from './sessions.queries.ts';

/** A person in a browser. */
export interface SessionCaller extends Member {
  sessionId: string;
  /** In the stored form: lower-case. */
  email: string;
}

/**
 * The person behind the session cookie; null when there is none, it ended, or the request has an `Authorization`
 * header, which decides alone (docs/contract/account.md 1.4).
 */
export async function authenticateSession(
  database: Queryable,
  headers: IncomingHttpHeaders,
): Promise<SessionCaller | null> {
  if (headers.authorization !== undefined) return null;
  const secret = readSessionCookie(headers);
  if (secret === null) return null;
  const hash = sessionSecretHash(secret);
  const found = await findLiveSession(database, hash);
  if (found === null || !timingSafeEqual(found.secretHash, hash)) return null;
  return { userId: found.userId, sessionId: found.sessionId, email: found.email };
}

/**
 * The person behind a member token or, without an `Authorization` header, behind the session cookie
 * (docs/contract/account.md 1.5).
 */
export async function authenticatePerson(
  database: Queryable,
  headers: IncomingHttpHeaders,
  staleness: TokenStaleness | null,
): Promise<TokenCaller | SessionCaller | null> {
  return headers.authorization === undefined
    ? await authenticateSession(database, headers)
    : await authenticateMember(database, headers, staleness);
}
