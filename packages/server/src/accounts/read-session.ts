import type { Session } from '@culprit/contract/sign-in';
import { formatTimestamp } from '@culprit/contract/timestamps';
import { planOverride } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { csrfToken } from './session-secrets.ts';
import { findSessionRow } from './sessions.queries.ts';
import type { SignInRoom } from './sign-in-room.ts';

/**
 * The session's record (account.md 2.4).
 * @throws Problem `invalid_session` when its row is gone
 */
export async function readSession(
  database: Queryable,
  room: Pick<SignInRoom, 'plans' | 'csrfKey'>,
  sessionId: string,
): Promise<Session> {
  const row = await findSessionRow(database, sessionId);
  if (row === null) throw new Problem('invalid_session');
  return {
    session_id: row.session_id,
    user_id: row.user_id,
    email: row.email,
    email_verified_at: row.email_verified_at === null ? null : formatTimestamp(row.email_verified_at),
    organization_id: row.organization_id,
    organization_plan: planOverride(room.plans) ?? row.organization_plan ?? 'free',
    role: row.is_owner ? 'owner' : 'member',
    created_at: formatTimestamp(row.created_at),
    expires_at: formatTimestamp(row.expires_at),
    revoked_at: row.revoked_at === null ? null : formatTimestamp(row.revoked_at),
    avatar_url: null,
    csrf_token: csrfToken(room.csrfKey, row.session_id),
    auth_methods: { email: row.has_used_email, github: row.has_used_github },
  };
}
