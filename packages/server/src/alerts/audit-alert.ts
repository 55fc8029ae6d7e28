import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import type { Member } from '../tokens/authenticate-member.ts';

/** Records what a member did to an alert rule (notifications.md 8): never where it sends to. */
export async function auditAlert(
  database: Database,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
  entry: {
    action: `alert.${string}`;
    member: Member;
    organizationId: string;
    projectId: string;
    /** In its outside form. */
    alertId: string;
    data?: Readonly<Record<string, string>>;
  },
): Promise<void> {
  await recordAudit(database, request.log, {
    action: entry.action,
    actorUserId: entry.member.userId,
    organizationId: entry.organizationId,
    projectId: entry.projectId,
    subject: `alert:${entry.alertId}`,
    clientAddress: request.clientAddress,
    ...(entry.data === undefined ? {} : { data: entry.data }),
  });
}
