import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { runSize } from '../support/run-size.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import {
  authOf,
  envelope,
  newEventId,
  post,
  type SentryTarget,
  sentryEvent,
  sentryTarget,
} from '../support/sentry-client.ts';

/**
 * F-78 of docs/contract/foreign-protocols.md: as many events of clients of others as of our own at the same time. What
 * they cost beside each other are the rows `foreign` of the benchmark; rates of a key are F-06 and F-20.
 */

const EVENTS = runSize('CULPRIT_MIXED_EVENTS', { standard: 2000, long: 20_000 });
const KINDS = 20;
const CONNECTIONS = 4;
const OWN_IN_REQUEST = 50;
const LIMIT_MS = 1_800_000;

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
});
afterAll(() => culprit.stop());

/** Sends from several connections at once, each request when the answer to the one before is there. */
async function sendAll(requests: number, send: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < requests) {
        next += 1;
        await send(next - 1);
      }
    }),
  );
}

function ownEvent(n: number): object {
  const subject = `own${n % KINDS}`;
  return {
    event_type: 'backend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'api-server', environment: 'production' },
    payload: {
      name: 'Error',
      message: 'order could not be saved',
      stack: `Error: order could not be saved\n    at ${subject} (/app/src/${subject}.js:4:2)`,
    },
  };
}

function foreignEvent(n: number): object {
  const name = `foreign${n % KINDS}`;
  const frame = { filename: `/app/src/${name}.js`, function: name, lineno: 4, colno: 2, in_app: true };
  return sentryEvent(newEventId(), {
    exception: {
      values: [{ type: 'Error', value: 'order could not be saved', stacktrace: { frames: [frame] } }],
    },
  });
}

async function counts(client: IncidentClient): Promise<number[]> {
  return (await client.list()).map(({ occurrence_count: count }) => count);
}

it(
  `F-78 ${EVENTS} events of Sentry's clients and as many own: none is refused or lost, and neither waits for the other`,
  async () => {
    const own = await connect(culprit, { preset: 'balanced' });
    const foreign = await connect(culprit, { preset: 'balanced' });
    const target: SentryTarget = await sentryTarget(culprit, foreign.project);
    const answered = { own: 0, foreign: 0, foreignWhileOwn: 0 };
    const sendOwn = async (request: number) => {
      const events = Array.from({ length: OWN_IN_REQUEST }, (_, n) => ownEvent(request * OWN_IN_REQUEST + n));
      const answer = await sendEvents(culprit.url, own.project.projectToken, events);
      expect(acknowledgement(answer)).toMatchObject({ accepted: OWN_IN_REQUEST, rejected: 0 });
      answered.own += OWN_IN_REQUEST;
    };
    const sendForeign = async (n: number) => {
      const items = [{ type: 'event', payload: foreignEvent(n) }];
      const { status, body } = await post(target.envelope, envelope(items), authOf(target.key));
      expect({ status, body }).toMatchObject({ status: 200, body: { id: expect.any(String) } });
      expect(body).not.toHaveProperty('rejected');
      answered.foreign += 1;
      if (answered.own < EVENTS) answered.foreignWhileOwn += 1;
    };
    await Promise.all([sendAll(EVENTS / OWN_IN_REQUEST, sendOwn), sendAll(EVENTS, sendForeign)]);
    // Large bodies of one sender and small ones of another take turns.
    expect(answered.foreignWhileOwn).toBeGreaterThan(EVENTS / OWN_IN_REQUEST / 4);
    const each = Array.from({ length: KINDS }, () => EVENTS / KINDS);
    for (const client of [own, foreign]) {
      await eventually(async () => expect(await counts(client)).toEqual(each), LIMIT_MS / 2);
    }
    const path = `/v1/projects/${foreign.project.projectId}/event-fates`;
    await eventually(async () => {
      const { body } = await target.owner.get(path);
      expect(body).toMatchObject({
        by_kind: [{ kind: 'event', taken: EVENTS, not_taken: 0, over_limit: 0 }],
      });
    });
  },
  LIMIT_MS,
);
