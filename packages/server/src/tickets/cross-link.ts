import type { Transaction } from '../platform/db/database.ts';
import { queueMail } from '../platform/mail/queue-mail.ts';
import type { Runtime } from '../runtime.ts';
import { pausedLinkMail } from './paused-link-mail.ts';
import { countMove, findPausedLink } from './tracked-links.queries.ts';

export type CrossingOptions = Pick<Runtime, 'keys' | 'appUrl'>;

/**
 * Counts a change that crosses a held link that is not paused. The first one too many pauses the link, and mails the
 * person who added it, or else the one who connected the tracker (docs/contract/team-workflow.md 7.4). Later changes
 * are not counted, so there is one mail for each pause.
 * @returns whether the change may cross
 */
export async function mayCross(
  transaction: Transaction,
  { keys, appUrl }: CrossingOptions,
  linkId: string,
): Promise<boolean> {
  if (await countMove(transaction, linkId)) return true;
  const paused = await findPausedLink(transaction, linkId);
  if (paused !== null) {
    const mail = { to: paused.email, ...pausedLinkMail(paused, appUrl) };
    await queueMail(transaction, keys.queuedMail.reveal(), mail);
  }
  return false;
}
