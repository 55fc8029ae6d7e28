import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchangeRaw } from './raw-http.ts';
import { type SampleServer, startSampleServer } from './sample-api.ts';

let sample: SampleServer;

beforeEach(async () => {
  sample = await startSampleServer();
});
afterEach(() => sample.close());

function openConnections(): Promise<number> {
  return new Promise((resolve, reject) =>
    sample.server.app.server.getConnections((error, count) =>
      error === null ? resolve(count) : reject(error),
    ),
  );
}

const BODY_BYTES = 4 * 1_048_576;
const refusedHead =
  'POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: x\r\n' +
  `Connection: close\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;

/** Sends the head of a body that is too large and waits until the answer is there and the server has said its last. */
async function beRefused() {
  const socket = connect({ port: sample.port, host: '127.0.0.1', allowHalfOpen: true });
  const errors: Error[] = [];
  let text = '';
  socket.on('error', (error) => errors.push(error));
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const ended = new Promise((resolve) => socket.on('end', resolve));
  socket.write(refusedHead);
  await ended;
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
  return { socket, errors };
}

describe('a sender that is refused with the connection to be closed', () => {
  it('can send the rest of its body without being reset, and then the connection is gone', async () => {
    const { socket, errors } = await beRefused();
    for (let sentBytes = 0; sentBytes < BODY_BYTES; sentBytes += 65_536) {
      await new Promise((resolve) => socket.write(Buffer.alloc(65_536), resolve));
    }
    await expect.poll(openConnections, { timeout: 1000 }).toBe(0);
    expect(errors).toEqual([]);
    socket.destroy();
  });

  it('is not waited for without end', async () => {
    const { socket } = await beRefused();
    await expect.poll(openConnections, { timeout: 20_000 }).toBe(0);
    socket.destroy();
  });
});

describe('a connection that once carried a refused body', () => {
  it('closes at once when a later answer is its last', async () => {
    const refused = 'PATCH /v1/widgets/a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello';
    const last = 'GET /live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const socket = connect({ port: sample.port, host: '127.0.0.1', allowHalfOpen: true });
    const ended = new Promise((resolve) => socket.on('end', resolve));
    socket.resume();
    socket.write(refused + refused);
    socket.write(last);
    await ended;
    await expect.poll(openConnections, { timeout: 1000 }).toBe(0);
    socket.destroy();
  });
});

describe('a connection that breaks', () => {
  it('is gone as soon as the client has closed its half', async () => {
    const { answers } = await exchangeRaw(sample.port, ['noise\r\n\r\n']);
    expect(answers.map(({ status }) => status)).toEqual([400]);
    await expect.poll(openConnections, { timeout: 500 }).toBe(0);
  });

  it('is gone after a second when the client does not close it', async () => {
    const socket = connect({ port: sample.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    const ended = new Promise((resolve) => socket.on('end', resolve));
    socket.resume();
    socket.write('noise\r\n\r\n');
    await ended;
    expect(await openConnections()).toBe(1);
    await expect.poll(openConnections, { timeout: 3000 }).toBe(0);
    socket.destroy();
  });
});
