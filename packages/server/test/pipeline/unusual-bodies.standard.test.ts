import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { type RoleProcess, startApiProcess } from '../support/role-process.ts';
import { sendEvents } from '../support/send-events.ts';

/** Bodies of unusual shape take turns and are worked on in slices (docs/contract/reliability.md A6). */

const EVENT = {
  event_type: 'log_event',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'api-server', environment: 'production' },
  payload: { level: 'error', message: 'payment failed' },
};
const EMPTY_OBJECTS = `{"events":[${'{},'.repeat(349_000)}{}]}`;
/** Listed keys, so that each event is written anew. */
const WIDE = `{"events":[${Array(5).fill(wideEvent(19_900)).join()}]}`;
/** Large enough to take turns, far more than its size when it is read, and sixty-four of it are done in a few seconds. */
const MANY_EMPTY = `{"events":[${'{},'.repeat(25_000)}{}]}`;
const MANY_WIDE = `{"events":[${wideEvent(9_000)}]}`;
const NEIGHBORS = 4;
/**
 * What others get answered at least while one body is worked on. In one piece it was one or two requests of
 * each connection; in slices it is dozens.
 */
const ANSWERS_MIN = 4 * NEIGHBORS;

function wideEvent(values: number): string {
  const context = Object.fromEntries(Array.from({ length: values }, (_, index) => [`k${index}`, 0]));
  return JSON.stringify({ ...EVENT, context: { ...context, password: 'x' } });
}

describe('a body of unusual shape', () => {
  let culprit: TestCulprit;
  let unusual: TestProject;
  let other: TestProject;
  let api: RoleProcess;
  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
    [unusual, other] = [await culprit.createProject(), await culprit.createProject()];
    api = await startApiProcess(culprit, { plans: SELF_HOSTED });
  });
  afterAll(async () => {
    await api.kill();
    await culprit.stop();
  });

  it('of 349,000 empty objects leaves other requests their turns', {
    timeout: 60_000,
  }, async () => {
    await answersBeside(WIDE);
    const { status, answers } = await answersBeside(EMPTY_OBJECTS);
    expect(status).toBe(202);
    expect(answers).toBeGreaterThanOrEqual(ANSWERS_MIN);
  });

  it('is accepted each time it comes when it comes sixty-four times at once, and so is every request of others', {
    timeout: 120_000,
  }, async () => {
    let isOver = false;
    const bodies = Promise.all(
      Array.from({ length: 64 }, (_, index) => post(index % 2 === 0 ? MANY_EMPTY : MANY_WIDE)),
    ).finally(() => {
      isOver = true;
    });
    const others: number[] = [];
    while (!isOver) others.push((await sendEvents(String(api.report), other.projectToken, [EVENT])).status);
    expect(new Set(await bodies)).toEqual(new Set([202]));
    expect(new Set(others)).toEqual(new Set([202]));
    // They came in between, and not before or after all of them.
    expect(others.length).toBeGreaterThan(64);
  });

  it('does not wait for those of its sender that come byte by byte', { timeout: 60_000 }, async () => {
    const { hostname, port } = new URL(String(api.report));
    const slow = Array.from({ length: 4 }, () => connect(Number(port), hostname));
    const answered: string[] = [];
    for (const socket of slow) {
      socket.on('data', (chunk) => answered.push(String(chunk)));
      socket.on('error', () => {});
      socket.write(
        `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${unusual.projectToken}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n',
      );
    }
    const drip = setInterval(() => {
      for (const socket of slow) socket.write('{');
    }, 100);
    try {
      for (let round = 0; round < 8; round += 1) {
        expect(await Promise.all([post(MANY_EMPTY), post(MANY_WIDE)])).toEqual([202, 202]);
      }
      // They are still at it: a body of theirs would take a day.
      expect(answered).toEqual([]);
    } finally {
      clearInterval(drip);
      for (const socket of slow) socket.destroy();
    }
  });

  /** Sends a body of the unusual project; the answer is read and dropped. */
  function post(
    body: string,
    onSent: () => void = () => {},
    onAnswer: () => void = () => {},
  ): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${unusual.projectToken}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      };
      const sent = request(`${api.report}/v1/events`, { method: 'POST', headers, agent: false }, (answer) => {
        onAnswer();
        answer.on('end', () => resolve(answer.statusCode ?? 0)).resume();
      });
      sent.on('finish', onSent);
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** How many other requests are answered from the end of the body to the begin of its answer. */
  async function answersBeside(body: string): Promise<{ status: number; answers: number }> {
    let isCounting = false;
    let isOver = false;
    let answers = 0;
    async function ask(): Promise<void> {
      while (!isOver) {
        // What needs no database, so that it is turns of the event loop that are counted.
        await (await fetch(`${api.report}/live`)).arrayBuffer();
        if (isCounting) answers += 1;
      }
    }
    const neighbors = Promise.all(Array.from({ length: NEIGHBORS }, ask));
    const status = await post(
      body,
      () => {
        isCounting = true;
      },
      () => {
        isCounting = false;
      },
    ).finally(() => {
      isOver = true;
    });
    await neighbors;
    return { status, answers };
  }
});
