import type { Invite } from '@culprit/contract/invites';
import { recordAudit } from '../audit/record-audit.ts';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { cancelInviteRow, missingInvite } from './invites.queries.ts';
import { requireProject } from './require-project.ts';

/**
 * Ends an open invite; its link is worth nothing from then on (incidents.md 7.5).
 * @throws Problem `invite_not_found` when it is unknown in this project, accepted, canceled or expired, and those of
 * `requireProject`
 */
export async function cancelInvite(
  { database, plans }: { database: Database; plans: PlanSettings },
  member: Member,
  ids: { id: string; inviteId: string },
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<Invite> {
  const { userId } = member;
  const inviteId = parseId([], ids.inviteId);
  const access = await requireProject(database, plans, userId, ids.id, 'admin', (id) =>
    missingInvite(database, id, inviteId),
  );
  const { projectId, organizationId } = access;
  const invite = inviteId === null ? null : await cancelInviteRow(database, projectId, inviteId);
  if (invite === null) throw new Problem('invite_not_found');
  await recordAudit(database, request, {
    action: 'invite.canceled',
    actorUserId: userId,
    organizationId,
    projectId,
    subject: `invite:${invite.invite_id}`,
  });
  return invite;
}
