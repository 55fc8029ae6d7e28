import type { cancelInvite as endpoint, Invite } from '@culprit/contract/workspace/invites';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { cancelInviteRow } from './invites.queries.ts';

/**
 * Ends an open invite; its link is worth nothing from then on (docs/contract/incidents.md 7.5).
 * @throws Problem `invite_not_found` when it is accepted, canceled or expires in the meantime
 */
export async function cancelInvite(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<Invite> {
  const { access, caller } = request;
  const invite = await cancelInviteRow(database, access.projectId, access.recordId);
  if (invite === null) throw new Problem('invite_not_found');
  await recordAudit(database, request, {
    ...access,
    action: 'invite.canceled',
    actorUserId: caller.userId,
    subject: `invite:${invite.invite_id}`,
  });
  return invite;
}
