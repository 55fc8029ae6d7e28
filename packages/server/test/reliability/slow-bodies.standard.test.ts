// Proves 23.
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/workspace/tokens/token.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { sendEvents } from '../support/send-events.ts';

/** Bodies that never end cost their senders' sockets and nobody a request (docs/contract/reliability.md A6). */

const SOCKETS = 2000;
const EVENT = {
  event_type: 'log_event',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'api-server', environment: 'production' },
  payload: { level: 'error', message: 'payment failed' },
};

describe('two thousand sockets with a body that comes byte by byte', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  let other: TestProject;
  const sockets: Socket[] = [];
  let drip: NodeJS.Timeout | undefined;

  beforeAll(async () => {
    // Clients and service share a loop here, and what delays it is not what is tested.
    culprit = await startCulprit({ hasWorker: false, limits: { loopDelayMaxMs: 60_000 } });
    project = await culprit.createProject();
    other = await culprit.createProject();
    // Connections to the database are made in peace.
    await Promise.all(Array.from({ length: 20 }, () => Promise.all([listProjects(), sendOne()])));
  });
  afterEach(() => {
    clearInterval(drip);
    for (const socket of sockets) socket.destroy();
    sockets.length = 0;
  });
  afterAll(() => culprit.stop());

  async function listProjects(): Promise<number> {
    const response = await fetch(`${culprit.url}/v1/projects`, {
      headers: { authorization: `Bearer ${project.memberToken}` },
    });
    await response.arrayBuffer();
    return response.status;
  }

  async function sendOne(): Promise<number> {
    return (await sendEvents(culprit.url, other.projectToken, [EVENT])).status;
  }

  /** Opens the sockets while `others` send requests, and goes on for a while with bytes and requests. */
  async function attack(
    headOf: (index: number) => string,
    others: () => Promise<number>,
  ): Promise<Map<number, number>> {
    const { hostname, port } = new URL(culprit.url);
    const statuses = new Map<number, number>();
    async function ask(): Promise<void> {
      const status = await others();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    let connected = 0;
    for (let index = 0; index < SOCKETS; index += 1) {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.on('error', () => {});
      socket.on('connect', () => {
        connected += 1;
        socket.write(headOf(index));
      });
      if (index % 100 === 0) await ask();
    }
    await eventually(() => expect(connected).toBe(SOCKETS));
    drip = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('x');
    }, 1000);
    for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 5 }, ask));
    return statuses;
  }

  const lengths = 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n';

  it.each([
    [
      'sign-in, where nobody needs a credential',
      () => `POST /v1/auth/request-code HTTP/1.1\r\nHost: x\r\n${lengths}{`,
    ],
    [
      'an endpoint of members, without a credential',
      () => `POST /v1/projects HTTP/1.1\r\nHost: x\r\n${lengths}{`,
    ],
    [
      'an endpoint of members, each with another token',
      () =>
        `POST /v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${createToken('member')}\r\n${lengths}{`,
    ],
    [
      'an endpoint of members, with a good token',
      () =>
        `POST /v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${project.memberToken}\r\n${lengths}{`,
    ],
  ])('at %s refuse nobody else a request', async (_where, headOf) => {
    const statuses = await attack(headOf, listProjects);
    expect([...statuses.keys()]).toEqual([200]);
  });

  it.each([
    [
      'each with another token',
      () =>
        `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${createToken('project')}\r\n${lengths}{`,
    ],
    [
      'as beacons',
      () => `POST /v1/events HTTP/1.1\r\nHost: x\r\nOrigin: https://shop.example\r\n${lengths}{`,
    ],
    [
      'with a good token',
      () =>
        `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${project.projectToken}\r\n${lengths}{`,
    ],
  ])('at ingestion, %s, refuse nobody else an event', async (_how, headOf) => {
    const statuses = await attack(headOf, sendOne);
    expect([...statuses.keys()]).toEqual([202]);
  });

  it('keep no request for a wrong token waiting', async () => {
    const { hostname, port } = new URL(culprit.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.write(
      `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${createToken('project')}\r\n${lengths}{`,
    );
    const answer = await new Promise((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});
