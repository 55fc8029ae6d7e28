import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostFolder, installedFolder } from '../../sdk-test-hosts/hosts.ts';
import type { TestCulprit } from '../../server/test/support/culprit.ts';
import { connect, type IncidentClient } from '../../server/test/support/incident-client.ts';
import { shareCulprit } from '../../server/test/support/shared-culprit.ts';

/**
 * Runtimes that are no Node, each with the lines of the README: Deno and Bun report to a real service; workers and the
 * edge load the library and are not broken by it.
 */

const INSTALL_MAX_MS = 300_000;
const DENO = '@deno/linux-x64-glibc/deno';
const BUN = '@oven/bun-linux-x64-baseline/bin/bun';

let host: HostFolder;
let culprit: TestCulprit;
beforeAll(async () => {
  host = await installedFolder(
    {
      '@deno/linux-x64-glibc': '2.9.6',
      '@oven/bun-linux-x64-baseline': '1.4.5',
      '@edge-runtime/vm': '5.0.0',
      miniflare: '4.20260426.0',
      esbuild: '0.28.2',
    },
    [DENO, BUN],
  );
  // Afterwards: npm holds up this process, and connections of the service that are being made would time out.
  culprit = await shareCulprit();
}, INSTALL_MAX_MS);
afterAll(() => host?.remove());

async function run(program: string, args: readonly string[], client: IncidentClient | null) {
  const { projectToken } = client?.project ?? {};
  const child = spawn(program, args, {
    cwd: host.path,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: host.path,
      NO_COLOR: '1',
      DENO_DIR: join(host.path, '.deno'),
      DENO_NO_UPDATE_CHECK: '1',
      CULPRIT_ENDPOINT: culprit.url,
      CULPRIT_ENVIRONMENT: 'production',
      CULPRIT_SERVICE: 'host',
      ...(projectToken === undefined ? {} : { CULPRIT_PROJECT_TOKEN: projectToken }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  return { code, stdout, stderr };
}

const deno = (client: IncidentClient, file: string, flags: readonly string[] = ['-A']) =>
  run(
    join(host.path, 'node_modules', DENO),
    ['run', '--no-prompt', '--node-modules-dir=manual', ...flags, file],
    client,
  );
const bun = (client: IncidentClient, file: string) =>
  run(join(host.path, 'node_modules', BUN), [file], client);

const names = async (client: IncidentClient, count: number) => {
  const incidents = await client.counted(...Array.from({ length: count }, () => 1));
  return incidents.map(({ title }) => title).sort();
};

const SERVER = `
import { flush, init } from '@culprit/node';
import { withRequest } from '@culprit/node/fetch';
init();
const handler = withRequest(async (request) => {
  if (new URL(request.url).pathname === '/boom') throw new TypeError('no stock');
  return new Response('fine');
});
const onError = () => new Response('error', { status: 500 });
const isDeno = typeof Deno !== 'undefined';
const server = isDeno
  ? Deno.serve({ port: 0, onListen() {}, onError }, handler)
  : Bun.serve({ port: 0, fetch: handler, error: onError });
const port = isDeno ? server.addr.port : server.port;
for (const path of ['/', '/boom']) console.log(path, (await fetch('http://127.0.0.1:' + port + path)).status);
await flush();
process.exit(0);
`;

describe.each([
  ['Deno', deno],
  ['Bun', bun],
] as const)('in %s', (_name, start) => {
  it('what a handler of its own server throws, and what is captured, are incidents', async () => {
    const client = await connect(culprit);
    host.write('server.mjs', SERVER);
    const { code, stdout, stderr } = await start(client, 'server.mjs');
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '/ 200\n/boom 500\n' });
    expect(await names(client, 1)).toEqual([expect.stringContaining('no stock')]);
  }, 120_000);

  it('a rejection that nothing handles ends the process as ever, and is an incident', async () => {
    const client = await connect(culprit);
    host.write(
      'rejection.mjs',
      `import { init } from '@culprit/node';
       init();
       setTimeout(() => { Promise.reject(new RangeError('rejected')); }, 500);
       setTimeout(() => console.log('alive'), 10_000);`,
    );
    const { code, stdout, stderr } = await start(client, 'rejection.mjs');
    expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('rejected');
    expect(await names(client, 1)).toEqual([expect.stringContaining('rejected')]);
  }, 120_000);

  it('an error that nothing catches ends the process, and is an incident', async () => {
    const client = await connect(culprit);
    host.write(
      'crash.mjs',
      `import { init } from '@culprit/node';
       init();
       setTimeout(() => { throw new RangeError('crash'); }, 500);`,
    );
    const { code, stderr } = await start(client, 'crash.mjs');
    expect(code, stderr).toBe(1);
    expect(stderr).toContain('crash');
    expect(await names(client, 1)).toEqual([expect.stringContaining('crash')]);
  }, 120_000);
});

describe('in Deno without permissions', () => {
  const CAPTURE = `
import { captureException, flush, init } from '@culprit/node';
init({ token: Deno.args[0], endpoint: Deno.args[1], service: 'host', environment: 'production' });
captureException(new TypeError('captured'));
await flush();
console.log('host runs');`;

  it('for variables, the system or writing, the host runs and what it captures is sent', async () => {
    const client = await connect(culprit);
    host.write('capture.mjs', CAPTURE);
    const flags = ['--allow-net', '--allow-read=.'];
    const { code, stdout, stderr } = await run(
      join(host.path, 'node_modules', DENO),
      [
        ...['run', '--no-prompt', '--node-modules-dir=manual', ...flags],
        ...['capture.mjs', client.project.projectToken, culprit.url],
      ],
      null,
    );
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'host runs\n' });
    expect(await names(client, 1)).toEqual([expect.stringContaining('captured')]);
  }, 120_000);
});

/** A handler with the lines of the README, bundled as the platform does. */
const BUNDLED = (format: 'esm' | 'iife', condition: string, end: string) => `
import { build } from 'esbuild';
const contents = ${JSON.stringify(`
import { captureException, flush, init } from '@culprit/node';
import { withRequest } from '@culprit/node/fetch';
import { onRequestError } from '@culprit/node/next';
init({ token: 'x', endpoint: 'https://culprit.example' });
const handler = withRequest(async (request) => {
  if (new URL(request.url).pathname === '/boom') throw new TypeError('no stock');
  captureException(new Error('captured'));
  await flush();
  return new Response(typeof onRequestError);
});
`)} + ${JSON.stringify(end)};
const { outputFiles } = await build({
  stdin: { contents, resolveDir: process.cwd() },
  bundle: true, format: '${format}', write: false, logLevel: 'error',
  conditions: ['${condition}', 'worker', 'browser'],
});
const script = outputFiles[0].text;
`;

describe('a handler that is bundled for a platform without Node', () => {
  it('runs in workerd, and its errors are its own', async () => {
    host.write(
      'workerd.mjs',
      `${BUNDLED('esm', 'workerd', 'export default { fetch: handler };')}
       import { Miniflare } from 'miniflare';
       const miniflare = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01' });
       const { status, ...answer } = await miniflare.dispatchFetch('http://localhost/').then(async (fine) => ({ status: fine.status, text: await fine.text() }));
       console.log(status, answer.text, (await miniflare.dispatchFetch('http://localhost/boom')).status);
       await miniflare.dispose();`,
    );
    const { code, stdout, stderr } = await run(process.execPath, ['workerd.mjs'], null);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '200 function 500\n' });
  }, 120_000);

  it('runs in the edge runtime of Vercel, and its errors are its own', async () => {
    host.write(
      'edge.mjs',
      `${BUNDLED('iife', 'edge-light', 'globalThis.handler = handler;')}
       import { EdgeVM } from '@edge-runtime/vm';
       const vm = new EdgeVM();
       vm.evaluate(script);
       const ask = (path) => vm.evaluate("handler(new Request('http://localhost" + path + "')).then((answer) => answer.text(), (error) => error.message)");
       console.log(await ask('/'), await ask('/boom'));`,
    );
    const { code, stdout, stderr } = await run(process.execPath, ['edge.mjs'], null);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'function no stock\n' });
  }, 120_000);
});
