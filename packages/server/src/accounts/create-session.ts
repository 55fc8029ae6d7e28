import type { Queryable } from '../platform/db/database.ts';
import { newUuid } from '../platform/ids.ts';
import { Secret } from '../platform/secret.ts';
import { createSessionSecret, sessionSecretHash } from './session-secrets.ts';
import { insertSession, revokeOldestSessions, revokeSessionBySecret } from './sessions.queries.ts';

/** A session that was just made. */
export interface NewSession {
  sessionId: string;
  /** For `sessionCookie`; nothing else ever shows it. */
  secret: Secret;
  /** Sessions that ended with it: the one the request came with, and the oldest of too many. */
  ended: readonly { sessionId: string; userId: string }[];
}

/** Live sessions per account (account.md 2.5). */
const LIVE_SESSIONS_MAX = 20;

/**
 * Makes a session for a person whose row the caller's transaction holds (`findOrCreateAccount` locks it). The session
 * a request came with ends, whoever it belongs to: nobody keeps a cookie that somebody else may know (account.md 2.3).
 * @param options.organizationId the one of `findOrCreateAccount`
 * @param options.presentedCookie value of the request's session cookie, or null
 */
export async function createSession(
  transaction: Queryable,
  options: { userId: string; organizationId: string; presentedCookie: string | null },
): Promise<NewSession> {
  const { userId, organizationId, presentedCookie } = options;
  const presented =
    presentedCookie === null
      ? null
      : await revokeSessionBySecret(transaction, sessionSecretHash(presentedCookie));
  const sessionId = newUuid();
  const secret = new Secret(createSessionSecret());
  await insertSession(transaction, {
    sessionId,
    userId,
    secretHash: sessionSecretHash(secret.reveal()),
    organizationId,
  });
  const surplus = await revokeOldestSessions(transaction, userId, LIVE_SESSIONS_MAX);
  return {
    sessionId,
    secret,
    ended: [...(presented === null ? [] : [presented]), ...surplus.map((id) => ({ sessionId: id, userId }))],
  };
}
