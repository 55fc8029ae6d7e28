import { afterAll, beforeAll, expect, it } from 'vitest';
import { TEST_TOKEN } from './support/recording-endpoint.ts';
import { type Programs, programs } from './support/run-program.ts';

/** A finished request is let go, whatever it has started that lives on (docs/contract/clients.md 2.3). */

const REQUESTS = 150;

/** Each request holds 2 MB, and starts what outlives it; the last of these fails after its request. */
const PROGRAM = `
import { createServer } from 'node:http';
import { AsyncResource } from 'node:async_hooks';
import { captureException, close, currentScope, init, probe, setContext, withRequest, withScope } from '@culprit/node';
const events = [];
init({
  token: '${TEST_TOKEN}',
  endpoint: 'https://culprit.example',
  environment: 'production',
  requestBodies: process.argv[2],
  transport: async ({ body, events: count }) => {
    const { events: given, batch } = JSON.parse(body);
    events.push(...(given ?? batch));
    return { status: 202, body: JSON.stringify({ accepted: count, rejected: 0, errors: [] }) };
  },
});
const living = [];
const cache = new Map();
let late;
const big = () => ({ buffer: Buffer.alloc(1e6, 1), list: Array.from({ length: 125_000 }, (_, i) => i) });
const work = (request, response) => {
  request.big = big();
  living.push(new WeakRef(request), new WeakRef(response), new WeakRef(request.big));
  const body = big();
  living.push(new WeakRef(body));
  setContext('order', { id: living.length, body });
  currentScope().setRequestBody({ note: 'sent', body });
  currentScope().setResponse({ headers: {}, body });
  probe('loaded', { id: 1, body });
  setTimeout(() => {}, 3_600_000).unref();
  setInterval(() => {}, 3_600_000).unref();
  cache.set(cache.size, new AsyncResource('pooled'));
  cache.set(cache.size, withScope(() => new Promise(() => {}).finally(() => {})));
  const failing = new AsyncResource('late');
  late = () => failing.runInAsyncScope(() => captureException(new Error('late')));
};
const server = createServer((request, response) => {
  work(request, response);
  response.end('ok');
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const url = 'http://127.0.0.1:' + server.address().port;
globalThis.gc();
const before = process.memoryUsage();
for (let i = 0; i < ${REQUESTS}; i += 1) {
  await (await fetch(url + '/orders/' + i, { headers: { 'x-request-id': 'request-' + i, 'x-shop': 'north' } })).text();
  const headers = new Headers({ 'x-shop': 'south' });
  await withRequest({ method: 'PUT', url: '/by-hand', headers }, async () => work({ headers }, {}));
  if (i === ${REQUESTS} - 2) globalThis.first = late;
}
server.closeAllConnections();
server.close();
for (let i = 0; i < 10; i += 1) {
  await new Promise((done) => setTimeout(done, 20));
  globalThis.gc();
}
const after = process.memoryUsage();
const grown = (after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers) / 1e6;
late();
await close();
const [{ context, correlation, payload }] = events.filter(({ event_type }) => event_type === 'backend_exception');
console.log(JSON.stringify({ alive: living.filter((each) => each.deref() !== undefined).length, grown, context, correlation, payload }));
`;

let host: Programs;
beforeAll(async () => {
  host = await programs();
}, 300_000);
afterAll(() => host?.folder.remove());

it.each([
  { version: '20' as const, bodies: 'off' },
  { version: '24' as const, bodies: 'failures' },
  { version: '26' as const, bodies: 'failures' },
])('holds nothing of finished requests on Node $version with bodies $bodies', async ({ version, bodies }) => {
  const options = { version, args: ['--expose-gc'], parameters: [bodies] };
  const { stdout, stderr } = await host.run('finished.mjs', PROGRAM, options);
  const { alive, grown, context, payload } = JSON.parse(stdout || JSON.stringify(stderr));
  // The latest request may still be on the stack of the machine.
  expect(alive).toBeLessThan(8);
  expect(grown).toBeLessThan(8);
  // What a later error needs is there.
  expect(context.order).toMatchObject({ id: expect.any(Number) });
  expect(payload.request).toMatchObject({
    method: 'PUT',
    path: '/by-hand',
    headers: { 'x-shop': 'south' },
    body: bodies === 'off' ? null : { note: 'sent' },
  });
});
