import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { NewSession } from './create-session.ts';
import type { SignedInPerson, SignInMethod } from './sign-in-person.ts';

/** The origin of the audit rows of a request. */
export interface AuditContext {
  log: Logger;
  clientAddress: string;
}

/** Records a sign-in that succeeded: the sign-up if it was one, the session if there is one, and those that ended. */
export async function auditSignIn(
  database: Database,
  context: AuditContext,
  signIn: { person: SignedInPerson; method: SignInMethod; session: NewSession | null },
): Promise<void> {
  const { person, method, session } = signIn;
  const { userId, organizationId } = person;
  if (person.isNewAccount) {
    await recordAudit(database, context, {
      actorUserId: userId,
      action: 'user.signed_up',
      organizationId,
      subject: `user:${userId}`,
      data: { method },
    });
  }
  await recordAudit(database, context, {
    actorUserId: userId,
    action: 'sign_in.succeeded',
    organizationId,
    subject: `user:${userId}`,
    data: { method },
  });
  if (session === null) return;
  const subject = `session:${session.sessionId}`;
  await recordAudit(database, context, {
    actorUserId: userId,
    action: 'session.started',
    organizationId,
    subject,
  });
  for (const ended of session.ended) {
    await recordAudit(database, context, {
      actorUserId: ended.userId,
      action: 'session.ended',
      subject: `session:${ended.sessionId}`,
      data: { reason: 'replaced' },
    });
  }
}

/**
 * Records a sign-in that failed. The person is unknown, and the address that was tried is private, so the row has
 * neither.
 */
export async function auditFailedSignIn(
  database: Database,
  context: AuditContext,
  data: { method: SignInMethod; reason: string },
): Promise<void> {
  await recordAudit(database, context, {
    action: 'sign_in.failed',
    actorUserId: null,
    data,
  });
}
