import type { Database } from '../../../platform/db/database.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { AuditContext } from '../audit-sign-in.ts';
import type { GroupSyncOutcome } from './group-sync.ts';

/** Records what the groups of a person changed at their sign-in, and that the provider did not say them. */
export async function auditGroups(
  database: Database,
  context: AuditContext,
  userId: string,
  { changes, isGroupsMissing }: GroupSyncOutcome,
): Promise<void> {
  const subject = `user:${userId}`;
  if (isGroupsMissing) {
    await recordAudit(database, context, { action: 'oidc_groups_missing', actorUserId: userId, subject });
  }
  for (const { projectId, organizationId, from, to } of changes) {
    await recordAudit(database, context, {
      action: from === null ? 'member.added' : to === null ? 'member.removed' : 'member.role_changed',
      actorUserId: userId,
      organizationId,
      projectId,
      subject,
      data: { from, to, source: 'oidc' },
    });
  }
}
