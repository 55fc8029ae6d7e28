import type { deleteSlackDestination as endpoint } from '@culprit/contract/alerts/slack';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { deleteDestinationRow, isDestinationUsed, lockDestination } from './slack-destinations.queries.ts';

/**
 * Deletes a destination that nothing names (docs/contract/notifications.md 2.5), on every plan and without a Slack
 * application too.
 * @throws Problem `slack_destination_not_found` when it was deleted, `slack_destination_in_use`
 */
export async function deleteSlackDestination(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<void> {
  const { access, caller } = request;
  const { organizationId, recordId: id } = access;
  await database.transaction(async (transaction) => {
    const isThere = await lockDestination(transaction, organizationId, id);
    if (!isThere) throw new Problem('slack_destination_not_found');
    if (await isDestinationUsed(transaction, organizationId, id)) {
      throw new Problem('slack_destination_in_use');
    }
    await deleteDestinationRow(transaction, organizationId, id);
  });
  await recordAudit(database, request, {
    ...access,
    action: 'slack_destination.deleted',
    actorUserId: caller.userId,
    subject: `slack_destination:${id}`,
  });
}
