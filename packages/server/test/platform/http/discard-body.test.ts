import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLoopScheduler } from '../../../src/platform/http/limits/loop-scheduler.ts';
import { discardBody } from '../../../src/platform/http/server/discard-body.ts';

const BODY_BYTES = 8 * 1024 * 1024;

it('the rest of a refused body is read when its turn comes, and stays in the connection until then', async () => {
  let mayRead: () => void = () => {};
  const isOpen = new Promise<void>((resolve) => {
    mayRead = resolve;
  });
  const loop = { ...createLoopScheduler({ requestsInFlight: () => 0 }), next: () => isOpen };
  let readBytes = 0;
  const server = createServer((request, response) => {
    discardBody(request, { bytesMax: BODY_BYTES, loop, sender: 'x' });
    request.on('data', (chunk) => {
      readBytes += chunk.length;
    });
    response.end('refused');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const answered = new Promise((resolve) => socket.once('data', resolve));
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`);
  socket.write(Buffer.alloc(BODY_BYTES));
  await answered;
  await expect.poll(() => readBytes).toBeGreaterThan(0);
  // As long as it would take to read all of it many times over.
  await delay(100);
  expect(readBytes).toBeLessThan(256 * 1024);
  mayRead();
  await expect.poll(() => readBytes, { timeout: 10_000 }).toBe(BODY_BYTES);
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
