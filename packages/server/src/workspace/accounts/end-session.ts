import type { logOut as endpoint } from '@culprit/contract/workspace/sign-in';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { revokeSession } from './sessions.queries.ts';

/**
 * Ends the caller's session; the cookie is worth nothing from the answer on (docs/contract/account.md 2.5).
 * @throws Problem `invalid_session` when a parallel request ended it first
 */
export async function endSession({ database }: Runtime, request: ApiRequest<typeof endpoint>): Promise<void> {
  const { userId, sessionId } = request.caller;
  if (!(await revokeSession(database, sessionId))) throw new Problem('invalid_session');
  await recordAudit(database, request, {
    action: 'session.ended',
    actorUserId: userId,
    subject: `session:${sessionId}`,
    data: { reason: 'logout' },
  });
}
