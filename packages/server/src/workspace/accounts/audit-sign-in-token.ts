import type { MemberToken } from '@culprit/contract/workspace/tokens';
import type { Database } from '../../platform/db/database.ts';
import { parseId } from '../../platform/ids.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { AuditContext } from './audit-sign-in.ts';

/** Records a member token that came of a sign-in. */
export async function auditSignInToken(
  database: Database,
  context: AuditContext,
  token: MemberToken,
  source: 'device' | 'exchange' | 'browser',
): Promise<void> {
  await recordAudit(database, context, {
    action: 'member_token.created',
    actorUserId: token.user_id,
    organizationId: token.organization_id,
    subject: `token:${parseId(['tok'], token.token_id) ?? ''}`,
    data: { source },
  });
}
