import type { Transaction } from '../../platform/db/database.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import type { Runtime } from '../../runtime.ts';
import { inactiveDestinationMail } from './inactive-destination-mail.ts';
import { deactivateDestinationRow, type OpenedDestination } from './receiving-destinations.queries.ts';

/**
 * Records that Slack refused a destination permanently (docs/contract/notifications.md 1.11): it becomes inactive, and
 * the owner is notified once per change (6). Does nothing when it is inactive already or was connected again since it
 * was opened.
 */
export async function deactivateSlackDestination(
  transaction: Transaction,
  { keys, appUrl }: Pick<Runtime, 'keys' | 'appUrl'>,
  destination: OpenedDestination,
): Promise<void> {
  const inactive = await deactivateDestinationRow(transaction, destination);
  if (inactive === null) return;
  await queueMail(transaction, keys.queuedMail.reveal(), {
    to: inactive.ownerEmail,
    ...inactiveDestinationMail(inactive, appUrl),
  });
}
