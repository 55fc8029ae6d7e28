// Proves 7.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { createEventLedger, type EventLedger, KEPT, ledgerEvent, readCountedEvents } from './event-ledger.ts';
import { createRealService, type RealService } from './real-service.ts';
import { settleWork } from './settle-work.ts';

/** docs/contract/reliability.md test 7: the program is asked to stop while clients send to it, again and again. */

const STOPS = runSize('CULPRIT_TEST_STOPS', { standard: 2, long: 50 });
/** Of so many stops one meets a request of which only half was sent: it is waited for, and then cut. */
const HALF_SENT_EVERY = 5;
const CLIENTS = 4;
const LOAD_MS = { min: 50, max: 300 };
const SEED = chooseSeed();

/** What clients saw. */
interface Answers {
  whole: number;
  /** Of which a part came. */
  cut: number;
  /** No byte of an answer: the port had closed, or closed over them. */
  none: number;
}

describe(`${STOPS} stops under load (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  let service: RealService;
  beforeAll(async () => {
    service = await createRealService();
  });
  afterAll(() => service.remove());

  it('cut no answer, end in time with code 0, and lose nothing that was accepted', {
    timeout: 60_000 + STOPS * 15_000,
  }, async () => {
    await service.start();
    const { projectId, projectToken: token } = await service.bootstrap('shop');
    const ledger = createEventLedger();
    const answers: Answers = { whole: 0, cut: 0, none: 0 };
    const codes: (number | null)[] = [];
    let slowestMs = 0;
    for (let stop = 1; stop <= STOPS; stop += 1) {
      const load = startLoad({ service, token, ledger, answers });
      const half = stop % HALF_SENT_EVERY === 0 ? await sendHalf(service, token) : null;
      await delay(random.integer(LOAD_MS.min, LOAD_MS.max));
      const askedAt = performance.now();
      codes.push(await service.end('SIGTERM'));
      slowestMs = Math.max(slowestMs, performance.now() - askedAt);
      await load.finish();
      half?.destroy();
      await service.start();
    }
    recordFigure(
      7,
      `${STOPS} stops, ${answers.whole} whole answers, ${answers.cut} cut, slowest stop ${Math.round(slowestMs)} ms (seed ${SEED})`,
    );

    const ids = [parseId(['proj'], projectId) ?? ''];
    const database = await settleWork(service, ids);
    try {
      expect(ledger.judge(await readCountedEvents(database, ids))).toEqual(KEPT);
    } finally {
      await database.close();
    }
    expect(answers.cut).toBe(0);
    expect(answers.whole).toBeGreaterThan(STOPS);
    // What is cut after its time is said, by the exit code too (docs/contract/reliability.md A7).
    expect(codes).toEqual(
      Array.from({ length: STOPS }, (_, index) => ((index + 1) % HALF_SENT_EVERY ? 0 : 1)),
    );
  });
});

function startLoad(options: { service: RealService; token: string; ledger: EventLedger; answers: Answers }): {
  finish(): Promise<void>;
} {
  const { service, token, ledger, answers } = options;
  const agent = new Agent({ keepAlive: true });
  let isFinishing = false;

  async function client(): Promise<void> {
    while (!isFinishing) {
      const events = [ledgerEvent(newUuid(), 'alpha', true)];
      const answer = await post(
        service.url,
        token,
        agent,
        JSON.stringify({ events: events.map(({ body }) => body) }),
      );
      ledger.note(events, answer === 202 ? 'accepted' : 'unknown');
      if (typeof answer === 'number') answers.whole += 1;
      else answers[answer] += 1;
      if (answer === 'none') await delay(20);
    }
  }

  const clients = Array.from({ length: CLIENTS }, client);
  return {
    async finish() {
      isFinishing = true;
      await Promise.all(clients);
      agent.destroy();
    },
  };
}

/** The status of a whole answer, or how far it came. */
function post(url: string, token: string, agent: Agent, body: string): Promise<number | 'cut' | 'none'> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = request(`${url}/v1/events`, { method: 'POST', headers, agent });
    sent.on('error', () => resolve('none'));
    sent.on('response', (response) => {
      response.on('error', () => resolve('cut'));
      response.on('end', () => resolve(response.complete ? (response.statusCode ?? 0) : 'cut'));
      response.resume();
    });
    sent.end(body);
  });
}

/** Leaves a request on the way whose body never ends, and which the service knows of. */
async function sendHalf(service: RealService, token: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `POST /v1/events HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\n` +
      'content-type: application/json\r\ncontent-length: 1000\r\nexpect: 100-continue\r\n\r\n',
  );
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 100 /);
  socket.write('{"events":[');
  return socket;
}
