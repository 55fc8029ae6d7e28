import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  isRecord,
  type JsonRecord,
  type RecordingEndpoint,
  startRecordingEndpoint,
} from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** C-13 of docs/contract/clients.md on the packed library: what belongs to one request stays with it. */

const INSTALL_MAX_MS = 300_000;
const REQUESTS = 1_000;

const SOURCE = `
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { addBreadcrumb, captureException, close, getDiagnostics, init, probe, setTag, setUser } from '@culprit/node';
init();
while (getDiagnostics().policyPreset === null) await delay(10);
const logger = pino({ level: 'info' }, { write() {} });
class Failure extends Error {
  // Each is of a kind of its own, so that none is held back.
  constructor(id) { super('failure ' + id); this.name = 'Failure' + id; }
}
let waiting = [];
/** Everybody waits until all are there. */
const meet = () => new Promise((go) => { waiting.push(go); if (waiting.length === ${REQUESTS}) for (const each of waiting) each(); });
const server = http.createServer(async (request, response) => {
  const id = request.url.slice(1);
  setUser({ id });
  setTag('id', id);
  await meet();
  logger.info({ id }, 'line ' + id);
  addBreadcrumb({ type: 'step', data: { id } });
  if (Number(id) % 10 === 0) { probe('id', { id }); await delay(1); captureException(new Failure(id)); response.statusCode = 500; }
  response.end();
});
server.maxConnections = 5_000;
await new Promise((done) => server.listen(0, '127.0.0.1', 2_000, done));
const { port } = server.address();
await Promise.all(Array.from({ length: ${REQUESTS} }, (_, id) => new Promise((done, fail) => {
  http.get({ port, path: '/' + id, agent: false, headers: { 'x-request-id': 'r-' + id } }, (response) => response.resume().on('end', done)).on('error', fail);
})));
await close(20_000);
server.close();
console.log(JSON.stringify(getDiagnostics()));`;

let host: Programs;
let endpoint: RecordingEndpoint;
beforeAll(async () => {
  host = await programs({ pino: 'pino' });
}, INSTALL_MAX_MS);
afterAll(() => host.folder.remove());
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

const listed = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

it.each(['20', '24'] as const)(
  'on Node %s, 1,000 requests at once hold nothing of each other',
  async (version) => {
    const end = await host.run('app.mjs', SOURCE, { version, env: connectedTo(endpoint.url) });
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(endpoint.faults).toEqual([]);
    const events = endpoint.events('backend_exception');
    expect(events).toHaveLength(REQUESTS / 10);
    for (const { payload, context, correlation } of events) {
      const facts = isRecord(payload) ? payload : {};
      const id = String(facts.message).replace('failure ', '');
      expect(correlation).toMatchObject({ request_id: `r-${id}` });
      expect(facts.request).toMatchObject({ path: `/${id}` });
      expect(facts.response).toMatchObject({ status_code: 500 });
      expect(context).toMatchObject({ tags: { id }, user: { id } });
      expect(listed(facts.logs).map(({ message }) => message)).toEqual([`line ${id}`]);
      expect(listed(facts.breadcrumbs).map(({ data }) => data)).toEqual([{ id }]);
      // A label keeps ten entries, so those of others may have replaced the own one, never joined it.
      for (const { data } of listed(Object(facts.probe_data).items)) expect(data).toEqual({ id });
    }
  },
);
