import type { Logger } from 'pino';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import type { SessionCaller } from './authenticate-session.ts';
import { revokeSession } from './sessions.queries.ts';

/**
 * Ends the caller's session; the cookie is worth nothing from the answer on (account.md 2.5).
 * @throws Problem `invalid_session` when a parallel request ended it first
 */
export async function endSession(
  database: Database,
  caller: SessionCaller,
  context: { log: Logger; clientAddress: string },
): Promise<void> {
  if (!(await revokeSession(database, caller.sessionId))) throw new Problem('invalid_session');
  await recordAudit(database, context, {
    action: 'session.ended',
    actorUserId: caller.userId,
    subject: `session:${caller.sessionId}`,
    data: { reason: 'logout' },
  });
}
