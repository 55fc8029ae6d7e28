import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { type DestinationIds, requireDestinationProject } from './require-destination-project.ts';
import { deleteDestinationRow, isDestinationUsed, lockDestination } from './slack-destinations.queries.ts';
import type { SlackRoom } from './slack-room.ts';

/**
 * Deletes a destination that nothing names (notifications.md 2.5), on every plan and without a Slack application too.
 * @throws Problem `slack_destination_not_found`, `forbidden`, `shared_access_suspended`, `slack_destination_in_use`
 */
export async function deleteSlackDestination(
  room: SlackRoom,
  member: Member,
  ids: DestinationIds,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<void> {
  const { database } = room;
  const { projectId, organizationId } = await requireDestinationProject(room, member, ids);
  const id = parseId([], ids.destinationId);
  if (id === null) throw new Problem('slack_destination_not_found');
  await database.transaction(async (transaction) => {
    const isThere = await lockDestination(transaction, organizationId, id);
    if (!isThere) throw new Problem('slack_destination_not_found');
    if (await isDestinationUsed(transaction, organizationId, id))
      throw new Problem('slack_destination_in_use');
    await deleteDestinationRow(transaction, organizationId, id);
  });
  await recordAudit(database, request, {
    action: 'slack_destination.deleted',
    actorUserId: member.userId,
    organizationId,
    projectId,
    subject: `slack_destination:${id}`,
  });
}
