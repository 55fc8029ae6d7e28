import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Session } from '@culprit/contract/workspace/sign-in';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import { planOverride } from '../billing/plan.ts';
import { isOperator } from './operators.ts';
import { csrfToken } from './session-secrets.ts';
import { findSessionRow } from './sessions.queries.ts';

/**
 * The session's record (docs/contract/account.md 2.4).
 * @throws Problem `invalid_session` when its row is gone
 */
export async function getSession(
  { database, plans, keys, operators }: Runtime,
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
    organization_plan: planOverride(plans) ?? row.organization_plan ?? 'free',
    role: row.is_owner ? 'owner' : 'member',
    created_at: formatTimestamp(row.created_at),
    expires_at: formatTimestamp(row.expires_at),
    revoked_at: row.revoked_at === null ? null : formatTimestamp(row.revoked_at),
    is_operator: await isOperator(database, operators, row.user_id),
    avatar_url: null,
    csrf_token: csrfToken(keys.csrf, row.session_id),
    auth_methods: { email: row.has_used_email, github: row.has_used_github, oidc: row.has_used_oidc },
  };
}
