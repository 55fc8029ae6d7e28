import { countSend } from '../platform/sending/count-send.ts';
import { type SendLoop, startSendLoop } from '../platform/sending/send-loop.ts';
import { type DeliveryOptions, recordAttempt, sendAttempt } from './attempt-delivery.ts';
import { claimAttempts, handBackAttempts } from './attempts.queries.ts';

/**
 * Sends due deliveries until stopped; one that is repeated keeps its delivery id.
 * @param options.pollIntervalMs for what becomes due without a wake-up here: waits and leases of other processes
 */
export function startDeliveries(options: DeliveryOptions & { pollIntervalMs: number }): SendLoop {
  const { database } = options;
  return startSendLoop(
    {
      claim: (afterWebhookId, room) => claimAttempts(database, afterWebhookId, room),
      send: (attempt, breakOff) => sendAttempt(options, attempt, breakOff),
      async record(attempt, outcome) {
        const waitMs = await recordAttempt(options, attempt, outcome);
        countSend('webhook', outcome.error);
        return waitMs;
      },
      handBack: (attempts) => handBackAttempts(database, attempts),
      describe: ({ deliveryId }) => ({ deliveryId }),
    },
    options,
  );
}
