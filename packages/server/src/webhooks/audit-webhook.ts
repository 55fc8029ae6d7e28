import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import type { Member } from '../tokens/authenticate-member.ts';

/** Records what a member did to a webhook or a delivery of it (notifications.md 8): never its address or secret. */
export async function auditWebhook(
  database: Database,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
  entry: {
    action: `webhook.${string}`;
    member: Member;
    organizationId: string;
    projectId: string;
    /** In its outside form. */
    webhookId: string;
    data?: Readonly<Record<string, string>>;
  },
): Promise<void> {
  await recordAudit(database, request.log, {
    action: entry.action,
    actorUserId: entry.member.userId,
    organizationId: entry.organizationId,
    projectId: entry.projectId,
    subject: `webhook:${entry.webhookId}`,
    clientAddress: request.clientAddress,
    ...(entry.data === undefined ? {} : { data: entry.data }),
  });
}
