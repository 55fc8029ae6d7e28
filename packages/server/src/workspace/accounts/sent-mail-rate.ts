import { createHmac } from 'node:crypto';
import type { Transaction } from '../../platform/db/database.ts';
import type { Runtime } from '../../runtime.ts';
import { limitRequests } from './request-rate.ts';

/** Messages that a person sends to addresses of their choice (docs/contract/account.md 2.9). */
const PER_PERSON = 60;
const PER_ADDRESS = 20;
const WINDOW_SECONDS = 3600;

/**
 * Counts a message that a person sends at will, such as an invite, so that an account cannot flood the mailboxes of others.
 * A message that is not committed does not count.
 * @throws Problem `rate_limited`
 */
export async function limitSentMail(
  transaction: Transaction,
  { keys }: Pick<Runtime, 'keys'>,
  { userId, to }: { userId: string; to: string },
): Promise<void> {
  // Addresses are people's own, so a counter does not keep them.
  const address = createHmac('sha256', keys.mailedCodes.reveal()).update(`mail to ${to}`).digest('base64url');
  const window = { windowSeconds: WINDOW_SECONDS };
  await limitRequests(transaction, { bucket: 'mail_of', client: userId, limit: PER_PERSON, ...window });
  await limitRequests(transaction, { bucket: 'mail_to', client: address, limit: PER_ADDRESS, ...window });
}
