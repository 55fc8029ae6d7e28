import { countSend } from '../../platform/row-queue/count-send.ts';
import { type SendLoop, startSendLoop } from '../../platform/row-queue/send-loop.ts';
import { type DeliveryOptions, recordAttempt, sendAttempt } from './attempt-delivery.ts';
import { claimAttempts, releaseAttempts } from './attempts.queries.ts';

/**
 * Sends due deliveries until stopped; one that is repeated keeps its delivery id.
 */
export function startDeliveries(options: DeliveryOptions): SendLoop {
  const { database } = options;
  return startSendLoop(
    {
      claim: (afterWebhookId, capacity) => claimAttempts(database, afterWebhookId, capacity),
      send: (attempt, abort) => sendAttempt(options, attempt, abort),
      async record(attempt, outcome) {
        const waitMs = await recordAttempt(options, attempt, outcome);
        countSend('webhook', outcome.error);
        return waitMs;
      },
      release: (attempts) => releaseAttempts(database, attempts),
      describe: ({ deliveryId }) => ({ deliveryId }),
    },
    options,
  );
}
