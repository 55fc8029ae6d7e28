import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type {
  AccountSession,
  endOwnSession as endEndpoint,
  listSessions as listEndpoint,
} from '@culprit/contract/workspace/sign-in';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { listLiveSessions, revokeOwnSession } from './sessions.queries.ts';

/** The live sessions of the caller (docs/contract/server-additions.md S17). */
export async function listSessions(
  { database }: Runtime,
  { caller }: ApiRequest<typeof listEndpoint>,
): Promise<AccountSession[]> {
  const rows = await listLiveSessions(database, caller.userId);
  return rows.map((row) => ({
    session_id: row.session_id,
    created_at: formatTimestamp(row.created_at),
    last_used_at: formatTimestamp(row.last_used_at),
    address_class: row.address_class,
    browser: row.browser,
    is_current: row.session_id === caller.sessionId,
  }));
}

/** Ends a session of the caller. @throws Problem `not_found` for anything that is no live one of theirs */
export async function endOwnSession(
  { database }: Runtime,
  request: ApiRequest<typeof endEndpoint>,
): Promise<void> {
  const { userId } = request.caller;
  const sessionId = parseId([], request.params.sessionId);
  if (sessionId === null || !(await revokeOwnSession(database, userId, sessionId))) {
    throw new Problem('not_found');
  }
  await recordAudit(database, request, {
    action: 'session.ended',
    actorUserId: userId,
    subject: `session:${sessionId}`,
    data: { reason: 'revoked' },
  });
}
