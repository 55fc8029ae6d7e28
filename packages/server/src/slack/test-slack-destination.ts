import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { deactivateSlackDestination } from './deactivate-slack-destination.ts';
import { openSlackDestination, requireSlackDestination } from './find-slack-destination.ts';
import { postSlackMessage, type SlackMessage } from './post-slack-message.ts';
import { activateDestinationRow } from './receiving-destinations.queries.ts';
import { type DestinationIds, requireDestinationProject } from './require-destination-project.ts';
import { findTestNames } from './slack-destinations.queries.ts';
import type { SlackRoom } from './slack-room.ts';
import { slackHeaderText, slackSectionText } from './slack-text.ts';

/**
 * Sends one message to a destination, an inactive one too (notifications.md 2.5): success makes it active, a permanent
 * refusal inactive. It takes none of an allowance.
 * @throws Problem `slack_destination_not_found`, `forbidden`, `shared_access_suspended`, `upgrade_required`,
 * `slack_not_configured`, `slack_delivery_failed`
 */
export async function testSlackDestination(
  room: SlackRoom,
  member: Member,
  ids: DestinationIds,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<void> {
  const { database } = room;
  const { projectId, organizationId } = await requireDestinationProject(room, member, ids);
  const id = await requireSlackDestination(database, room, organizationId, ids.destinationId);
  const destination = await openSlackDestination(database, room, organizationId, id);
  const names = await findTestNames(database, projectId, member.userId);
  if (destination === null || names === null) throw new Problem('slack_destination_not_found');
  const outcome = await postSlackMessage(room.outbound, destination.url, testMessage(names));
  if (outcome.kind === 'delivered') {
    await activateDestinationRow(database, destination);
  } else if (outcome.kind === 'rejected') {
    await database.transaction((transaction) => deactivateSlackDestination(transaction, room, destination));
  }
  await recordAudit(database, request, {
    action: 'slack_destination.tested',
    actorUserId: member.userId,
    organizationId,
    projectId,
    subject: `slack_destination:${id}`,
    data: { outcome: outcome.kind },
  });
  if (outcome.kind !== 'delivered') throw new Problem('slack_delivery_failed');
}

function testMessage({ projectName, email }: { projectName: string; email: string }): SlackMessage {
  const line = slackSectionText(`${email} sent this test message for the project ${projectName}.`);
  return {
    text: line,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: slackHeaderText('Test message') } },
      { type: 'section', text: { type: 'mrkdwn', text: line } },
    ],
  };
}
