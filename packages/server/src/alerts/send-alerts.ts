import { countSend } from '../platform/sending/count-send.ts';
import { type SendLoop, startSendLoop } from '../platform/sending/send-loop.ts';
import { claimMessages, handBackMessages, type MessageKind } from './attempts.queries.ts';
import { type AlertSendingOptions, recordMessage, sendMessage } from './send-message.ts';

/** Sends under way at most (notifications.md 3.11): however long a mail server takes, chats have places of their own. */
const SENDS_MAX: Readonly<Record<MessageKind, number>> = { mail: 16, chat: 64 };

/**
 * Sends due messages until stopped; one that is repeated keeps its ids.
 * @param options.pollIntervalMs for what becomes due without a wake-up here: digests, waits and leases of other processes
 */
export function startAlerts(options: AlertSendingOptions & { pollIntervalMs: number }): SendLoop {
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

function startKind(options: AlertSendingOptions & { pollIntervalMs: number }, kind: MessageKind): SendLoop {
  const { database, pollIntervalMs, log } = options;
  return startSendLoop(
    {
      claim: (afterReceiverId, room) => claimMessages(database, kind, afterReceiverId, room),
      send: (attempt, breakOff) => sendMessage(options, attempt, breakOff),
      async record(attempt, outcome) {
        const waitMs = await recordMessage(options, attempt, outcome);
        countSend('alert', outcome.error);
        return waitMs;
      },
      handBack: (attempts) => handBackMessages(database, attempts),
      describe: ({ messageId }) => ({ messageId }),
    },
    { pollIntervalMs, sendsMax: SENDS_MAX[kind], log },
  );
}
