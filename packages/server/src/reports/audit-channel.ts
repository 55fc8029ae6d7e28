import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import type { Member } from '../tokens/authenticate-member.ts';

/** Records what a member did to a channel (notifications.md 8): never where its reports go. */
export async function auditChannel(
  database: Database,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
  entry: {
    action: `weekly_report_channel.${string}`;
    member: Member;
    organizationId: string;
    projectId: string;
    channelId: string;
    data?: Readonly<Record<string, string>>;
  },
): Promise<void> {
  await recordAudit(database, request.log, {
    action: entry.action,
    actorUserId: entry.member.userId,
    organizationId: entry.organizationId,
    projectId: entry.projectId,
    subject: `weekly_report_channel:${entry.channelId}`,
    clientAddress: request.clientAddress,
    ...(entry.data === undefined ? {} : { data: entry.data }),
  });
}
