import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/platform/log.ts';
import { type ClaimedAttempt, type Sending, startSendLoop } from '../../../src/platform/sending/send-loop.ts';

const log = createLogger({ level: 'fatal', role: 'test', toStandardError: true });
const ATTEMPT: ClaimedAttempt = { receiverId: '0a1b2c3d-0000-4000-8000-000000000001', pace: 'quick' };

/** Something to send once, that ends with an outcome, or null, only when it is broken off. */
function sendingUntilBrokenOff(outcome: string | null): {
  sending: Sending<ClaimedAttempt, string>;
  recorded: string[];
  begun: Promise<void>;
} {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const recorded: string[] = [];
  const waiting = [ATTEMPT];
  return {
    recorded,
    begun,
    sending: {
      claim: () => Promise.resolve({ attempts: waiting.splice(0), continueAfter: null }),
      send(_attempt, breakOff) {
        begin();
        return new Promise((resolve) => breakOff.addEventListener('abort', () => resolve(outcome)));
      },
      record(_attempt, told) {
        recorded.push(told);
        return Promise.resolve(null);
      },
      handBack: () => Promise.resolve(),
      describe: () => ({}),
    },
  };
}

describe('a send loop that stops', () => {
  it.each([
    ['records what came of an attempt after all', 'delivered', ['delivered']],
    ['records nothing of an attempt that nobody knows the end of', null, []],
  ])('%s', async (_, outcome, expected) => {
    const { sending, recorded, begun } = sendingUntilBrokenOff(outcome);
    const loop = startSendLoop(sending, { pollIntervalMs: 10, log });
    await begun;
    await loop.stop(0);
    expect(recorded).toEqual(expected);
  });
});
