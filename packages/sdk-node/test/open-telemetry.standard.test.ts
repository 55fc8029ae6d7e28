import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** C-18 of docs/contract/clients.md: OpenTelemetry is read where the host has it, and never loaded. */

const INSTALL_MAX_MS = 300_000;
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';

let host: Programs;
let endpoint: RecordingEndpoint;
beforeAll(async () => {
  host = await programs({ '@opentelemetry/api': '@opentelemetry/api' });
}, INSTALL_MAX_MS);
afterAll(() => host.folder.remove());
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

/** What a host's own SDK registers: a context manager and a provider. */
const REGISTER = `
const { context, ROOT_CONTEXT, trace } = require('@opentelemetry/api');
const { AsyncLocalStorage } = require('node:async_hooks');
const storage = new AsyncLocalStorage();
const manager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (next, run, self, ...parameters) => storage.run(next, () => run.apply(self, parameters)),
  bind: (_context, target) => target, enable: () => manager, disable: () => manager,
};
const registered = [context.setGlobalContextManager(manager), trace.setGlobalTracerProvider({ getTracer: () => ({}) })];
if (registered.join() !== 'true,true') throw new Error('not registered');
const inSpan = (run) => context.with(trace.setSpan(ROOT_CONTEXT,
  trace.wrapSpanContext({ traceId: '${TRACE_ID}', spanId: '${SPAN_ID}', traceFlags: 1 })), run);`;

it.each(['20', '24'] as const)(
  'takes the trace id of the active span, and leaves the registration to the host, on Node %s',
  async (version) => {
    const source = `
      const http = require('node:http');
      const culprit = require('@culprit/node'); culprit.init();
      ${REGISTER}
      inSpan(() => {
        culprit.captureException(new Error('in span'));
        culprit.withRequest({ headers: { 'x-service-trace-id': 'own' } }, () => culprit.captureException(new Error('own id')));
        if (culprit.getTraceId() !== '${TRACE_ID}') throw new Error('no trace id');
      });
      culprit.captureException(new Error('outside'));
      culprit.flush();`;
    const env = connectedTo(endpoint.url);
    expect(await host.run('app.cjs', source, { version, env })).toMatchObject({ code: 0, stderr: '' });
    const facts = endpoint.events('backend_exception').map(({ payload, correlation, context }) => ({
      message: Object(payload).message,
      traceId: Object(correlation).trace_id,
      trace: Object(context).trace,
    }));
    expect(facts.toSorted((a, b) => a.message.localeCompare(b.message))).toEqual([
      { message: 'in span', traceId: TRACE_ID, trace: undefined },
      { message: 'outside', traceId: null, trace: undefined },
      { message: 'own id', traceId: 'own', trace: { trace_id: TRACE_ID, span_id: SPAN_ID } },
    ]);
  },
);

it('loads nothing of OpenTelemetry by itself, although it is installed', async () => {
  const source = `
    const culprit = require('@culprit/node'); culprit.init();
    culprit.withRequest({}, () => culprit.captureException(new Error('x')));
    culprit.flush().then(() => {
      const loaded = Object.keys(require.cache).filter((path) => path.includes('opentelemetry'));
      console.log(loaded.length, Symbol.for('opentelemetry.js.api.1') in globalThis);
    });`;
  const end = await host.run('app.cjs', source, { version: '24', env: connectedTo(endpoint.url) });
  expect(end).toMatchObject({ code: 0, stdout: '0 false\n' });
});
