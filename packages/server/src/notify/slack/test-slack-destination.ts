import type { testSlackDestination as endpoint } from '@culprit/contract/alerts/slack';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { deactivateSlackDestination } from './deactivate-slack-destination.ts';
import { openSlackDestination, requireSlackDestination } from './find-slack-destination.ts';
import { postSlackMessage, type SlackMessage } from './post-slack-message.ts';
import { activateDestinationRow } from './receiving-destinations.queries.ts';
import { findTestNames } from './slack-destinations.queries.ts';
import { slackHeaderText, slackSectionText } from './slack-text.ts';

/**
 * Sends one message to a destination, an inactive one too (docs/contract/notifications.md 2.5): success makes it
 * active, a permanent refusal inactive. It takes none of an allowance.
 * @throws Problem `slack_destination_not_found` when it was deleted, `upgrade_required`,
 * `slack_not_configured`, `slack_delivery_failed`
 */
export async function testSlackDestination(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<void> {
  const { database, outbound } = runtime;
  const { access, caller } = request;
  const { projectId, organizationId, recordId: id } = access;
  await requireSlackDestination(database, runtime, organizationId, id);
  const destination = await openSlackDestination(database, runtime, organizationId, id);
  const names = await findTestNames(database, projectId, caller.userId);
  if (destination === null || names === null) throw new Problem('slack_destination_not_found');
  const outcome = await postSlackMessage(outbound, destination.url, testMessage(names));
  if (outcome.kind === 'delivered') {
    await activateDestinationRow(database, destination);
  } else if (outcome.kind === 'rejected') {
    await database.transaction((transaction) =>
      deactivateSlackDestination(transaction, runtime, destination),
    );
  }
  await recordAudit(database, request, {
    ...access,
    action: 'slack_destination.tested',
    actorUserId: caller.userId,
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
