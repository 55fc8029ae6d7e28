import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asCommonJs, asModule, FRAMEWORK_HOSTS, type FrameworkHost } from './support/framework-hosts.ts';
import { isRecord, type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type ProgramEnd, type Programs, programs } from './support/run-program.ts';

/** C-09 to C-11 of docs/contract/clients.md: one failure of a framework's route gives one signal. */

const INSTALL_MAX_MS = 300_000;

let endpoint: RecordingEndpoint;
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

async function withHost(host: FrameworkHost, use: (programs: Programs) => Promise<void>) {
  const running = await programs(host.packages);
  try {
    await use(running);
  } finally {
    await running.folder.remove();
  }
}

async function runBundled(running: Programs, host: FrameworkHost) {
  const entry = running.folder.write('entry.mjs', asModule(host));
  const bundler = await rolldown({
    input: entry,
    platform: 'node',
    cwd: running.folder.path,
    onLog: () => {},
  });
  const { output } = await bundler.generate({ format: 'esm', codeSplitting: false });
  await bundler.close();
  const code = output.flatMap((file) => (file.type === 'chunk' ? [file.code] : [])).join('\n');
  return running.run(join('out', 'bundle.mjs'), code, { version: '24', env: connectedTo(endpoint.url) });
}

function expectOneSignalEach(host: FrameworkHost) {
  expect(endpoint.faults).toEqual([]);
  const events = endpoint.events().map(({ event_type, payload, context, correlation, service }) => {
    const {
      name,
      handled,
      request,
      response,
      response_status: status,
      path,
    } = isRecord(payload) ? payload : {};
    return { event_type, name, handled, request, response, status, path, context, correlation, service };
  });
  expect(events).toMatchObject([
    {
      event_type: 'backend_exception',
      name: 'TypeError',
      handled: false,
      correlation: { request_id: '/orders/7?page=2' },
      service: { framework: host.framework },
      request: { method: 'GET', path: '/orders/7', query: { page: '2' } },
      response: { status_code: 500 },
      context: { tags: { plan: 'solo' } },
    },
    {
      event_type: 'backend_exception',
      request: { path: '/items/9', route_template: '/items/:id' },
      response: { status_code: 500, duration_ms: expect.any(Number) },
    },
    { event_type: 'request_event', path: '/quiet', status: 500 },
  ]);
  expect(events).toHaveLength(3);
}

/** How a program ended, without the frames of the framework: it has others while somebody listens to its channels. */
function ownOutput({ code, signal, stdout, stderr }: ProgramEnd) {
  const lines = stderr.split('\n').filter((line) => !/^ +at .*(?:node_modules|node:)/.test(line));
  return { code, signal, stdout, lines };
}

describe.each(FRAMEWORK_HOSTS)('$name', (host) => {
  it.each(['20', '24'] as const)(
    'reports each failure once, as module and as CommonJS, on Node %s',
    (version) =>
      withHost(host, async (running) => {
        const env = connectedTo(endpoint.url);
        const asEsm = await running.run('app.mjs', asModule(host), { version, env });
        expect(asEsm).toMatchObject({ code: 0 });
        expectOneSignalEach(host);
        await endpoint.close();
        endpoint = await startRecordingEndpoint();
        const asCjs = await running.run('app.cjs', asCommonJs(host), {
          version,
          env: connectedTo(endpoint.url),
        });
        expect(asCjs).toMatchObject({ code: 0 });
        expectOneSignalEach(host);
      }),
    INSTALL_MAX_MS,
  );

  it(
    'reports the same from one bundled file',
    () =>
      withHost(host, async (running) => {
        expect(await runBundled(running, host)).toMatchObject({ code: 0 });
        expectOneSignalEach(host);
      }),
    INSTALL_MAX_MS,
  );

  it(
    'prints what it prints without the library',
    () =>
      withHost(host, async (running) => {
        // More frames of a stack are the one thing that the library adds, by its own option.
        const source = asCommonJs(host).replace('init({', 'init({ stackFrames: null,');
        const env = connectedTo(endpoint.url);
        const watched = await running.run('app.cjs', source, { version: '24', env });
        const bare = await running.run('app.cjs', source.replace(/ {2}while \(getDiagnostics.*/, ''), {
          version: '24',
          env: { ...env, CULPRIT_ENABLED: 'false' },
        });
        expect(ownOutput(watched)).toEqual(ownOutput(bare));
        expectOneSignalEach(host);
      }),
    INSTALL_MAX_MS,
  );
});
