import { HEARTBEAT_INTERVAL_MS } from '../../platform/jobs/job-queue.ts';
import { countSend } from '../../platform/row-queue/count-send.ts';
import { type SendLoop, startSendLoop } from '../../platform/row-queue/send-loop.ts';
import {
  claimMessages,
  extendMessages,
  type MessageAttempt,
  type MessageKind,
  releaseMessages,
} from './attempts.queries.ts';
import type { AlertSendingOptions } from './message-outcome.ts';
import { recordMessage, sendMessage } from './send-message.ts';

/**
 * Sends under way at most (docs/contract/notifications.md 3.11): however long a mail server takes, chats have places
 * of their own.
 */
const SENDS_MAX: Readonly<Record<MessageKind, number>> = { mail: 16, chat: 64 };

/**
 * Sends due messages until stopped; one that is repeated keeps its ids.
 */
export function startAlerts(options: AlertSendingOptions & { retryScale: number }): SendLoop {
  const loops = [startKind(options, 'mail'), startKind(options, 'chat')];
  return {
    wake() {
      for (const loop of loops) loop.wake();
    },
    async stop(patienceMs) {
      await Promise.all(loops.map((loop) => loop.stop(patienceMs)));
    },
  };
}

function startKind(options: AlertSendingOptions & { retryScale: number }, kind: MessageKind): SendLoop {
  const { database, retryScale, log } = options;
  return startSendLoop(
    {
      claim: (afterReceiverId, capacity) => claimMessages(database, kind, afterReceiverId, capacity),
      send: (attempt, abort) => sendMessage(options, attempt, abort),
      async record(attempt, outcome) {
        const waitMs = await recordMessage(options, attempt, outcome);
        countSend('alert', outcome.error);
        return waitMs;
      },
      ...(kind === 'mail' && {
        extend: (attempts: readonly MessageAttempt[]) => extendMessages(database, attempts),
      }),
      release: (attempts) => releaseMessages(database, attempts),
      describe: ({ messageId }) => ({ messageId }),
    },
    { sendsMax: SENDS_MAX[kind], heartbeatMs: HEARTBEAT_INTERVAL_MS * retryScale, log },
  );
}
