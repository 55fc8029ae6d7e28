import { LIVE_SESSIONS_MAX } from '@culprit/contract/workspace/sign-in';
import { readUserAgent } from '@culprit/evidence/events/normalize/user-agent';
import type { Transaction } from '../../platform/db/database.ts';
import { newUuid } from '../../platform/ids.ts';
import { Secret } from '../../platform/secrets/secret.ts';
import { addressClass } from '../audit/record-audit.ts';
import { createSessionSecret, SESSION_LIFETIME_SECONDS, sessionSecretHash } from './session-secrets.ts';
import { insertSession, revokeOldestSessions, revokeSessionBySecret } from './sessions.queries.ts';

/** A session that was just made. */
export interface NewSession {
  sessionId: string;
  /** For `sessionCookie`; nothing else ever shows it. */
  secret: Secret;
  /** Sessions that ended with it: the one the request came with, and the oldest of too many. */
  ended: readonly { sessionId: string; userId: string }[];
}

/** The OpenID Connect provider of a session, which can end it. */
interface SessionProvider {
  issuer: string;
  /** Its id of the person's session there; null when it names none. */
  sid: string | null;
}

/** The sign-in that begins a session. */
export interface SessionOrigin {
  /** The peer, or whom a trusted proxy names. */
  clientAddress: string;
  userAgent: string | undefined;
}

/**
 * Creates a session for a person whose row the caller's transaction holds (`findOrCreateAccount` locks it). The session
 * a request came with ends, no matter whose it is: a cookie that another person may know must not stay valid
 * (docs/contract/account.md 2.3).
 * @param options.organizationId the one of `findOrCreateAccount`
 * @param options.origin what the person is shown of it later; absent: nothing
 * @param options.lifetimeSeconds seven days unless the way of signing in needs less
 * @param options.presentedCookie value of the request's session cookie, or null
 */
export async function createSession(
  transaction: Transaction,
  options: {
    userId: string;
    organizationId: string;
    presentedCookie: string | null;
    origin?: SessionOrigin;
    lifetimeSeconds?: number;
    provider?: SessionProvider;
  },
): Promise<NewSession> {
  const { userId, organizationId, presentedCookie, origin } = options;
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
    addressClass: origin === undefined ? null : addressClass(origin.clientAddress),
    browser: browserName(origin?.userAgent),
    lifetimeSeconds: options.lifetimeSeconds ?? SESSION_LIFETIME_SECONDS,
    provider: options.provider ?? null,
  });
  const surplus = await revokeOldestSessions(transaction, userId, LIVE_SESSIONS_MAX);
  return {
    sessionId,
    secret,
    ended: [...(presented === null ? [] : [presented]), ...surplus.map((id) => ({ sessionId: id, userId }))],
  };
}

/** Such as `Firefox 128 on Linux`; null for an agent that is no browser we know. */
export function browserName(userAgent: string | undefined): string | null {
  const { browser, os } = readUserAgent(userAgent ?? '');
  if (browser === null) return null;
  const name = `${browser.name} ${browser.version}`.trim();
  return (os === null || os.name === null ? name : `${name} on ${os.name}`).slice(0, BROWSER_LENGTH_MAX);
}

const BROWSER_LENGTH_MAX = 120;
