import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type NodeHost, startNodeHost } from './support/node-host.ts';
import { isRecord, type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** C-16, C-28 and C-37 of docs/contract/clients.md, with the packed library. */

const INSTALL_MAX_MS = 300_000;
const VERSIONS = ['20', '22', '24', '26'] as const;

let host: Programs;
let endpoint: RecordingEndpoint;
let target: NodeHost;
/** An address at which nothing listens. */
let closed: string;
let arrived: { url: string; headers: Record<string, unknown> }[];
beforeAll(async () => {
  host = await programs();
}, INSTALL_MAX_MS);
afterAll(() => host.folder.remove());
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
  arrived = [];
  target = await startNodeHost((request, response) => {
    arrived.push({ url: request.url ?? '', headers: request.headers });
    response.statusCode = request.url?.startsWith('/down') ? 503 : 200;
    if (request.url !== '/slow') response.end('answer');
  });
  const gone = await startNodeHost(() => {});
  await gone.close();
  closed = gone.url;
});
afterEach(async () => {
  await endpoint.close();
  await target.close();
});

/** A server whose routes are `async (request) => …`, and then what asks it. */
function program(init: string, routes: string, calls: string): string {
  return `
import http from 'node:http';
import { captureException, flush, getTraceId, init, setTag, traceHeaders } from '@culprit/node';
init(${init});
const target = process.env.TARGET;
const closed = process.env.CLOSED;
const get = (url, headers = {}) => new Promise((done) => {
  http.get(url, { headers }, (response) => { response.resume(); response.on('end', () => done(response.statusCode)); })
    .on('error', (error) => done(error.code));
});
const routes = {${routes}};
const server = http.createServer(async (request, response) => {
  await routes[request.url.split('?')[0]](request);
  response.end();
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const own = 'http://127.0.0.1:' + server.address().port;
${calls}
await flush();
server.close();
server.closeAllConnections();`;
}

async function run(version: (typeof VERSIONS)[number], source: string) {
  const env = { ...connectedTo(endpoint.url), TARGET: target.url, CLOSED: closed };
  expect(await host.run('app.mjs', source, { version, env })).toMatchObject({ code: 0, stderr: '' });
  expect(endpoint.faults).toEqual([]);
}

function exceptionNamed(message: string) {
  const found = endpoint
    .events('backend_exception')
    .find(({ payload }) => isRecord(payload) && payload.message === message);
  if (found === undefined || !isRecord(found.payload) || !isRecord(found.context)) throw new Error(message);
  const { breadcrumbs } = found.payload;
  const crumbs = (Array.isArray(breadcrumbs) ? breadcrumbs : []).map((crumb: unknown) =>
    isRecord(crumb) ? crumb.data : null,
  );
  return { crumbs, context: found.context, correlation: found.correlation };
}

const hostOf = () => new URL(target.url).host;

describe.each(VERSIONS)('outgoing calls on Node %s', (version) => {
  it('stand in the trail of the request that made them, by http and by fetch, failed ones with their code', async () => {
    await run(
      version,
      program(
        `{ capture: { console: 'off' } }`,
        `'/a': async () => {
           await fetch(target + '/ok?secret=1#x');
           await get(target.replace('http://', 'http://user:word@') + '/down?key=2');
           await fetch(closed + '/refused').catch(() => {});
           await get(closed + '/refused');
           captureException(new Error('a'));
         },
         '/b': async () => { await get(target + '/only-b'); captureException(new Error('b')); },`,
        `await Promise.all([get(own + '/a'), get(own + '/b')]);`,
      ),
    );
    expect(exceptionNamed('b').crumbs).toMatchObject([
      { method: 'GET', url: `${target.url}/only-b`, status_code: 200 },
    ]);
    const { crumbs, context } = exceptionNamed('a');
    expect(crumbs).toMatchObject([
      { url: `${target.url}/ok`, status_code: 200, duration_ms: expect.any(Number) },
      { url: `${target.url}/down`, status_code: 503, failure_kind: 'http_error' },
      { url: `${closed}/refused`, status_code: 0, failure_reason: 'ECONNREFUSED' },
      { url: `${closed}/refused`, failure_kind: 'network_error', failure_reason: 'ECONNREFUSED' },
    ]);
    expect(JSON.stringify(crumbs)).not.toMatch(/secret|word|key/);
    expect(context.dependencies).toMatchObject([
      { name: hostOf(), notes: expect.stringMatching(/^last (?:200|503) after \d+ ms$/) },
      { name: new URL(closed).host, status: 'failed', notes: expect.stringMatching(/^last ECONNREFUSED/) },
    ]);
  });

  it('names a dependency by how its last calls ended, also for an exception outside of requests', async () => {
    await run(
      version,
      program(
        `{ capture: { console: 'off' } }`,
        '',
        `await get(target + '/down'); captureException(new Error('failed'));
         await get(target + '/ok'); captureException(new Error('degraded'));
         const giveUp = (call) => { const given = new AbortController(); const ended = call(given.signal); given.abort(); return ended; };
         await giveUp((signal) => fetch(target + '/slow', { signal }).catch(() => {}));
         await giveUp((signal) => new Promise((done) => http.get(target + '/slow', { signal }).on('error', done)));
         captureException(new Error('given up'));
         await fetch(target + '/slow', { signal: AbortSignal.timeout(50) }).catch(() => {});
         captureException(new Error('timed out'));`,
      ),
    );
    expect(exceptionNamed('failed').context.dependencies).toMatchObject([
      { name: hostOf(), status: 'failed' },
    ]);
    expect(exceptionNamed('degraded').context.dependencies).toMatchObject([
      { name: hostOf(), status: 'degraded' },
    ]);
    expect(exceptionNamed('given up').context.dependencies).toMatchObject([
      { name: hostOf(), status: 'degraded', notes: expect.stringMatching(/^last 200 /) },
    ]);
    expect(exceptionNamed('timed out').context.dependencies).toMatchObject([
      { name: hostOf(), status: 'failed', notes: expect.stringMatching(/^last TimeoutError /) },
    ]);
  });

  it('continue the trace at targets only, keep a header of the host, and show no own request', async () => {
    await run(
      version,
      program(
        `{ tracePropagationTargets: [target2()], traceHeaders: ['x-service-trace-id', 'traceparent'] }`,
        `'/in': async () => {
           await fetch(target + '/fetch?x=1');
           await fetch(target + '/kept', { headers: { 'X-Service-Trace-Id': 'own' } });
           await get(target + '/http');
           await fetch(own + '/other?for=' + encodeURIComponent(target)).catch(() => {});
           captureException(new Error('in'));
         },
         '/other': async (request) => { globalThis.other = request.headers['x-service-trace-id'] ?? 'none'; },
         '/none': async () => {
           await fetch(target + '/first'); await fetch(target + '/second');
           captureException(new Error('none ' + getTraceId()));
         },`,
        `await get(own + '/in', { 'x-service-trace-id': 'f'.repeat(32), 'x-request-id': 'req-7' });
         await get(own + '/none');
         if (globalThis.other !== 'none') throw new Error(globalThis.other);
         if (Object.keys(traceHeaders(own)).length !== 0) throw new Error('headers for no target');
         console.log(Object.keys(traceHeaders(target)).join());`,
      ).replace('init({', 'const target2 = () => process.env.TARGET; init({'),
    );
    const traceOf = (url: string) => arrived.find((each) => each.url.startsWith(url))?.headers;
    const id = 'f'.repeat(32);
    expect(traceOf('/fetch')).toMatchObject({
      'x-service-trace-id': id,
      traceparent: expect.stringMatching(`^00-${id}-[0-9a-f]{16}-01$`),
    });
    expect(traceOf('/kept')?.['x-service-trace-id']).toBe('own');
    // Node 20 does not tell of a request of node:http before its headers are sent.
    expect(traceOf('/http')?.['x-service-trace-id']).toBe(version === '20' ? undefined : id);
    expect(exceptionNamed('in').correlation).toMatchObject({ request_id: 'req-7', trace_id: id });
    // Without an id of its own a request gets one when it first propagates, and keeps it.
    const made = String(traceOf('/first')?.['x-service-trace-id']);
    expect(made).toMatch(/^[0-9a-f]{32}$/);
    expect(traceOf('/second')?.['x-service-trace-id']).toBe(made);
    expect(exceptionNamed(`none ${made}`).correlation).toMatchObject({ trace_id: made });
    const sent = JSON.stringify(endpoint.events());
    expect(sent).not.toContain('/v1/events');
    expect(sent).not.toContain('/v1/sdk/config');
  });

  it('send no header without targets, and tell the other id where two differ', async () => {
    const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await run(
      version,
      program(
        '{}',
        `'/': async () => { await fetch(target + '/ok'); await get(target + '/ok'); captureException(new Error('e')); },
         '/both': async () => { captureException(new Error('both')); },`,
        `await get(own + '/', { traceparent: '${parent}', 'x-request-id': 'r' });
         await get(own + '/both', { traceparent: '${parent}', 'x-debugbundle-trace-id': 'third', 'x-service-trace-id': 'first' });`,
      ),
    );
    for (const { headers } of arrived) expect(Object.keys(headers).join()).not.toMatch(/trace/);
    expect(exceptionNamed('e').correlation).toMatchObject({ request_id: 'r', trace_id: 'a'.repeat(32) });
    expect(exceptionNamed('e').context.trace).toBeUndefined();
    expect(exceptionNamed('both')).toMatchObject({
      correlation: { trace_id: 'first' },
      context: { trace: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) } },
    });
  });

  it('of the own transport appear nowhere, whether they succeed or fail', async () => {
    await run(
      version,
      program(
        `{ transport: async ({ body, headers }) => {
             await fetch(process.env.CLOSED + '/failing').catch(() => {});
             const answer = await fetch(process.env.CULPRIT_ENDPOINT + '/v1/events', { method: 'POST', body, headers });
             return { status: answer.status, body: await answer.text() };
           } }`,
        '',
        `captureException(new Error('first')); await flush(); captureException(new Error('second'));`,
      ),
    );
    expect(exceptionNamed('second').crumbs).toEqual([]);
    expect(exceptionNamed('second').context.dependencies).toBeUndefined();
  });
});
