import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import type { ProjectAccess } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';

/** Records what a member did with checks (account.md 13): never an address, which may hold a secret. */
export async function auditCheck(
  database: Database,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
  entry: {
    action: `availability_check.${'created' | 'updated' | 'deleted' | 'tested'}`;
    member: Member;
    access: ProjectAccess;
    /** Null for a test, which is about no check. */
    checkId: string | null;
    data?: Readonly<Record<string, string | number>>;
  },
): Promise<void> {
  const { member, access, checkId } = entry;
  await recordAudit(database, request.log, {
    action: entry.action,
    actorUserId: member.userId,
    organizationId: access.organizationId,
    projectId: access.projectId,
    subject: checkId === null ? null : `availability_check:${checkId}`,
    clientAddress: request.clientAddress,
    ...(entry.data === undefined ? {} : { data: entry.data }),
  });
}
