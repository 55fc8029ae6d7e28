// Proves 23.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeRaw } from './raw-http.ts';
import { type SampleServer, startSampleServer } from './sample-api.ts';

let sample: SampleServer;

beforeAll(async () => {
  sample = await startSampleServer({
    limits: {
      headersTimeoutMs: 200,
      requestTimeoutMs: 600,
      silentBodyTimeoutMs: 250,
      connectionsCheckIntervalMs: 20,
      socketIdleTimeoutMs: 400,
    },
  });
});
afterAll(() => sample.close());

/** Sends the head, then one byte every so often until the connection ends; gives what came back and how many bytes were sent. */
function drip(head: string, intervalMs: number): Promise<{ status: number | null; bytes: number }> {
  return new Promise((resolve) => {
    let bytes = 0;
    const socket = connect(sample.port, '127.0.0.1');
    let text = '';
    const timer = setInterval(() => {
      bytes += 1;
      socket.write('a');
    }, intervalMs);
    socket.write(head);
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
      resolve({ status: status === undefined ? null : Number(status), bytes });
    });
  });
}

const post =
  'POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer project\r\nContent-Length: 1000\r\n\r\n';

describe('a slow client', () => {
  it('that sends its headers byte by byte is answered 408 after the header timeout', async () => {
    const { status, bytes } = await drip('GET /live HTTP/1.1\r\nX: ', 10);
    expect(status).toBe(408);
    expect(bytes).toBeGreaterThan(0);
  });

  it('that sends its body byte by byte is answered 408 after the request timeout', async () => {
    const { status, bytes } = await drip(post, 10);
    expect(status).toBe(408);
    expect(bytes).toBeGreaterThan(0);
  });

  it('whose body falls silent is answered 408 before that, with a body of ours', async () => {
    const { answers, isClosed } = await exchangeRaw(sample.port, [post]);
    expect(answers.map(({ status, body }) => [status, body])).toEqual([[408, '{"error":"request_timeout"}']]);
    expect(isClosed).toBe(true);
  });

  it('does not keep others waiting, however many there are', async () => {
    // Patient, so that all of them are there until the others were served.
    const patient = await startSampleServer();
    const slow = Array.from({ length: 40 }, () => connect(patient.port, '127.0.0.1'));
    const timer = setInterval(() => {
      for (const socket of slow) socket.write('a');
    }, 20);
    for (const socket of slow) socket.write('GET /live HTTP/1.1\r\nX: ');
    for (let round = 0; round < 20; round += 1) {
      expect((await fetch(`${patient.address}/live`)).status).toBe(200);
    }
    clearInterval(timer);
    expect(slow.map(({ bytesRead, readyState }) => [bytesRead, readyState])).toEqual(
      slow.map(() => [0, 'open']),
    );
    for (const socket of slow) socket.destroy();
    await patient.close();
  });

  it('that does not read its answer loses the connection', async () => {
    const other = await startSampleServer({
      limits: { socketIdleTimeoutMs: 200 },
      prepare: ({ server }) => {
        server.app.get('/large', { config: { access: 'public' } }, (_request, reply) =>
          reply.send('x'.repeat(32_000_000)),
        );
      },
    });
    const socket = connect(other.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    const { answers, management } = other.server.load;
    await expect.poll(() => answers.bytes).toBe(32_000_000);
    // Only its own answer waits for it.
    expect(management.requestsInFlight).toBe(0);
    await expect.poll(() => answers.bytes, { timeout: 3000 }).toBe(0);
    socket.destroy();
    await other.close();
  });

  it('that does not read its answer makes way for newer answers when there are many', async () => {
    let asked = 0;
    const other = await startSampleServer({
      limits: { pendingAnswerBytesMax: 70_000_000 },
      prepare: ({ server }) => {
        server.app.get('/large', { config: { access: 'public' } }, (_request, reply) => {
          asked += 1;
          return reply.send('x'.repeat(32_000_000));
        });
      },
    });
    const { answers } = other.server.load;
    const sockets = [];
    for (const [bytes, connections] of [
      [32_000_000, 1],
      [64_000_000, 2],
      // The oldest is gone, and not before the third has asked.
      [64_000_000, 2],
    ]) {
      const socket = connect(other.port, '127.0.0.1').on('error', () => {});
      sockets.push(socket);
      socket.pause();
      socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
      await expect
        .poll(async () => [asked, answers.bytes, await openConnections(other)], { timeout: 10_000 })
        .toEqual([sockets.length, bytes, connections]);
    }
    for (const socket of sockets.slice(1)) {
      socket.resume();
      await expect.poll(() => socket.bytesRead, { timeout: 10_000 }).toBeGreaterThan(32_000_000);
    }
    for (const socket of sockets) socket.destroy();
    await other.close();
  });
});

function openConnections({ server }: SampleServer): Promise<number> {
  return new Promise((resolve, reject) =>
    server.app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );
}
