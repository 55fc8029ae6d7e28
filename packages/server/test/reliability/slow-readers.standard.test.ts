// Proves 23.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { sendRequest } from '../support/send-events.ts';

/** Whoever does not read its answer loses that, and others nothing (docs/contract/reliability.md A6). */

const EVENT = {
  event_type: 'log_event',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'api-server', environment: 'production' },
  payload: { level: 'error', message: 'payment failed' },
};
/** A megabyte of events that are refused one by one: 25 MB of answer. */
const REFUSED = `{"events":[${'{},'.repeat(349_000)}{}]}`;

describe('clients that do not read 25 MB answers', () => {
  let culprit: TestCulprit;
  let greedy: TestProject;
  let other: TestProject;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
    [greedy, other] = [await culprit.createProject(), await culprit.createProject()];
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await culprit.stop();
  });

  it('do not keep large bodies of other tenants out', async () => {
    const { hostname, port } = new URL(culprit.url);
    for (let client = 0; client < 4; client += 1) {
      const socket = connect(Number(port), hostname).on('error', () => {});
      sockets.push(socket);
      // Reads the head of the answer and nothing more.
      const answered = new Promise((resolve) => {
        socket.once('data', () => resolve(socket.pause()));
        socket.once('close', resolve);
      });
      socket.write(
        `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${greedy.projectToken}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${REFUSED.length}\r\n\r\n${REFUSED}`,
      );
      await answered;
    }
    const message = 'x'.repeat(2000);
    const events = Array.from({ length: 300 }, () => ({ ...EVENT, payload: { ...EVENT.payload, message } }));
    const body = JSON.stringify({ events });
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () =>
          sendRequest(`${culprit.url}/v1/events`, { token: other.projectToken, headers: {}, body }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    }
  });
});
