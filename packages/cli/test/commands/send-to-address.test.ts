import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendHttp } from '../../src/api/http-send.ts';
import { findTarget } from '../../src/reproduce/target.ts';

/** Requests that go to the address that was judged (docs/contract/command-line.md 4.6). */

const server = createServer((request, response) => response.end(request.headers.host));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => server.close());

const send = (url: string, addresses?: readonly string[]) =>
  sendHttp(url, { method: 'GET', headers: {}, timeoutMs: 5000, answerBytesMax: 1000, addresses });

it('connects to the address that was looked up, whatever the name means by now', async () => {
  const url = `http://changed-meanwhile.invalid:${port}/`;
  const answer = await send(url, ['127.0.0.1']);
  expect([answer.status, await answer.text()]).toEqual([200, `changed-meanwhile.invalid:${port}`]);
  await expect(send(url)).rejects.toMatchObject({ name: 'NoAnswer' });
});

it('gives the addresses that it judged', async () => {
  expect(await findTarget(new URL('http://127.0.0.1:1/'))).toEqual({
    kind: 'loopback',
    addresses: ['127.0.0.1'],
  });
  expect((await findTarget(new URL(`http://localhost:${port}/`))).addresses).not.toEqual([]);
});

it.each([
  'http://169.254.169.254/',
  'http://[::ffff:169.254.169.254]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://0/',
  'http://metadata.google.internal/',
  'http://2852039166/',
])('never asks %s', async (url) => {
  await expect(findTarget(new URL(url))).rejects.toMatchObject({ code: 'blocked_target' });
});
