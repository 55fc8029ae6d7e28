// Proves 11.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { moveClock } from '../support/move-clock.ts';
import { giveCredentials } from '../support/object-stores.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { type Answer, sendEvents, sendRequest } from '../support/send-events.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { createEventLedger, type EventLedger, KEPT, ledgerEvent, readCountedEvents } from './event-ledger.ts';
import { findLeftOverWork } from './left-over-work.ts';

/**
 * docs/contract/reliability.md test 11 on an S3 store: it refuses, is slow, fails often, stores and then fails, or
 * damages what is read. What was answered 202 counts once, the rest at most once.
 */

const SEED = chooseSeed();
const REQUESTS = 200;
const AT_ONCE = 4;
/** The write limit of rule A6, and what an answer may take besides. */
const REFRESH_WAIT_MS = 10 * 60_000;

let s3: S3Server;
let proxy: TcpProxy;
let culprit: TestCulprit;
let project: TestProject;
let ledger: EventLedger;
let forgetCredentials: () => void;
let aheadMs = 0;
beforeAll(async () => {
  s3 = await startS3Server();
  forgetCredentials = giveCredentials(s3.credentials);
  proxy = await startTcpProxy(s3.endpoint);
  culprit = await startCulprit({
    objectStore: s3.place({ endpoint: proxy.url.replace(/\/$/, '') }),
    retryScale: 0.05,
  });
  project = await culprit.createProject();
  ledger = createEventLedger();
});
afterEach(() => {
  s3.fault = () => null;
});
afterAll(async () => {
  await culprit.stop();
  await proxy.close();
  await s3.close();
  forgetCredentials();
});

async function post(): Promise<Answer> {
  const events = [ledgerEvent(newUuid(), 'alpha', false), ledgerEvent(newUuid(), 'bravo', false)];
  const answer = await sendEvents(
    culprit.url,
    project.projectToken,
    events.map(({ body }) => body),
  );
  ledger.note(events, answer.status === 202 ? 'accepted' : 'unknown');
  return answer;
}

async function expectAcceptance(): Promise<void> {
  await eventually(async () => expect((await post()).status).toBe(202));
}

async function expectRefusals(): Promise<void> {
  for (const answer of await Promise.all([post(), post(), post()])) {
    expect(answer).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }
}

async function expectPromisesKept(): Promise<void> {
  const ids = [parseId(['proj'], project.projectId) ?? ''];
  await eventually(async () =>
    expect(ledger.judge(await readCountedEvents(culprit.database, ids))).toEqual(KEPT),
  );
  // Refreshes of busy incidents wait for minutes (docs/contract/incidents.md 3.9).
  aheadMs += REFRESH_WAIT_MS;
  await moveClock(culprit.database, aheadMs);
  await eventually(async () => expect(await findLeftOverWork(culprit.database, ids)).toEqual({}));
}

const ready = () => sendRequest(`${culprit.url}/ready`, { method: 'GET' });

describe('while the object store', { timeout: 60_000 }, () => {
  it.each<[string, () => Promise<void> | void, () => Promise<void> | void]>([
    ['refuses connections', () => proxy.refuse(), () => proxy.mend()],
    ['hangs', () => proxy.hang(), () => proxy.mend({ forgets: true })],
    [
      'takes longer than a write may',
      () => {
        s3.fault = () => ({ kind: 'slow', delayMs: 4000 });
      },
      () => {},
    ],
    [
      'forgets its bucket',
      () => {
        s3.fault = () => 'has_no_bucket';
      },
      () => {},
    ],
  ])('%s, senders are told while it lasts, and it works again afterwards', async (_what, begin, end) => {
    await expectAcceptance();
    await begin();
    await expectRefusals();
    // Its last yes may be some seconds old.
    await eventually(async () =>
      expect(await ready()).toMatchObject({ status: 503, body: { reason: 'object_store_unreachable' } }),
    );
    s3.fault = () => null;
    await end();
    await expectAcceptance();
    expect((await ready()).status).toBe(200);
    await expectPromisesKept();
  });

  it('is slow but in time, senders wait and are accepted', async () => {
    await expectAcceptance();
    s3.fault = () => ({ kind: 'slow', delayMs: 1500 });
    expect((await post()).status).toBe(202);
    s3.fault = () => null;
    await expectPromisesKept();
  });

  it(`fails in 30 % of its answers, 97 % of the requests are accepted (seed ${SEED})`, async () => {
    const random = seededRandom(SEED);
    await expectAcceptance();
    s3.fault = () => (random.chance(0.3) ? random.pick(['fails', 'fails_late', 'breaks_off_late']) : null);
    let accepted = 0;
    const send = async () => {
      for (let request = 0; request < REQUESTS / AT_ONCE; request += 1) {
        if ((await post()).status === 202) accepted += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, send));
    expect(accepted).toBeGreaterThanOrEqual(0.97 * REQUESTS);
    s3.fault = () => null;
    await expectPromisesKept();
  });

  it('stores and then fails, nothing counts twice, and what was refused counts not at all', async () => {
    s3.fault = ({ method }) => (method === 'PUT' ? 'fails_late' : null);
    const refused = createEventLedger();
    const events = [ledgerEvent(newUuid(), 'alpha', false)];
    const answer = await sendEvents(
      culprit.url,
      project.projectToken,
      events.map(({ body }) => body),
    );
    expect(answer.status).toBe(503);
    refused.note(events, 'refused');
    ledger.note(events, 'unknown');
    s3.fault = () => null;
    await expectPromisesKept();
    const ids = [parseId(['proj'], project.projectId) ?? ''];
    const { countedThoughRefused } = refused.judge(await readCountedEvents(culprit.database, ids));
    expect(countedThoughRefused).toEqual([]);
  });

  it('damages what is read, the events are counted when it reads soundly again', async () => {
    let damages = 2;
    s3.fault = ({ method, key }) => {
      if (method !== 'GET' || !key.includes('/raw/') || damages === 0) return null;
      damages -= 1;
      return 'damages';
    };
    await expectAcceptance();
    await expectPromisesKept();
    expect(damages).toBe(0);
  });
});
