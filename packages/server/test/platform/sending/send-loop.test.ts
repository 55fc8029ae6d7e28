import { describe, expect, it } from 'vitest';
import { DatabaseUnavailableError } from '../../../src/platform/db/database.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { ObjectStoreUnavailableError } from '../../../src/platform/objects/object-store.ts';
import {
  type ClaimedAttempt,
  type Sending,
  startSendLoop,
} from '../../../src/platform/row-queue/send-loop.ts';
import { eventually } from '../../support/eventually.ts';

const log = createLogger({ level: 'fatal', role: 'test', toStandardError: true });
const ATTEMPT: ClaimedAttempt = { receiverId: '0a1b2c3d-0000-4000-8000-000000000001', latencyClass: 'quick' };

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
      send(_attempt, abort) {
        begin();
        return new Promise((resolve) => abort.addEventListener('abort', () => resolve(outcome)));
      },
      record(_attempt, told) {
        recorded.push(told);
        return Promise.resolve(null);
      },
      release: () => Promise.resolve(),
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

/** Attempts whose outcomes cannot be recorded: how often that was tried, and how many hold a place at this moment. */
function sendingInOutage(attempts: readonly ClaimedAttempt[], problem: Error) {
  const seen = { tried: 0, held: attempts.length };
  const waiting = [...attempts];
  const sending: Sending<ClaimedAttempt, string> = {
    claim(_after, room) {
      if (waiting.length === 0)
        seen.held = Object.values(room.underWay).reduce((sum, count) => sum + count, 0);
      return Promise.resolve({ attempts: waiting.splice(0), continueAfter: null });
    },
    send: () => Promise.resolve('delivered'),
    record() {
      seen.tried += 1;
      return Promise.reject(problem);
    },
    release: () => Promise.resolve(),
    describe: () => ({}),
  };
  return { seen, sending };
}

const STORE_AWAY = new ObjectStoreUnavailableError('write', 'timeout');
const DATABASE_AWAY = new DatabaseUnavailableError('away');

describe('an outcome that cannot be recorded right now', () => {
  // More places than attempts, so that the loop goes on asking for more.
  const PLACES = 8;
  const six = Array.from({ length: 6 }, (_, n) => ({ ...ATTEMPT, receiverId: `receiver ${n}` }));

  it.each([
    ['waits for the object store in half of the places', STORE_AWAY, 4],
    ['waits for the database in whatever place', DATABASE_AWAY, 6],
  ])('%s', async (_, problem, held) => {
    const { seen, sending } = sendingInOutage(six, problem);
    const loop = startSendLoop(sending, { pollIntervalMs: 10, sendsMax: PLACES, log });
    // All once, and those that wait once more.
    await eventually(() => expect(seen.tried).toBeGreaterThanOrEqual(six.length + held));
    expect(seen.held).toBe(held);
    await loop.stop(0);
  });

  it('gives its place back when others may repeat the attempt', async () => {
    const { seen, sending } = sendingInOutage([{ ...ATTEMPT, leaseMs: 100 }], STORE_AWAY);
    const loop = startSendLoop(sending, { pollIntervalMs: 10, log });
    await eventually(() => expect(seen.held).toBe(0), 10_000);
    await loop.stop(0);
  });

  it('is not tried again by a loop that stops', async () => {
    const { seen, sending } = sendingInOutage([ATTEMPT], DATABASE_AWAY);
    const loop = startSendLoop(sending, { pollIntervalMs: 10, log });
    await eventually(() => expect(seen.tried).toBe(1));
    await loop.stop(0);
    expect(seen.tried).toBe(1);
  });
});
