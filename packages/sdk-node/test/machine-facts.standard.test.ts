import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { checkEvent } from '@culprit/evidence/events/envelope/check-event';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  isRecord,
  type JsonRecord,
  type RecordingEndpoint,
  startRecordingEndpoint,
} from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** Sections 4.6, 11.1 to 11.3 and 14 of docs/contract/clients.md: facts of the machine, and the files of local mode (C-46). */

const INSTALL_MAX_MS = 300_000;
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const START = `const culprit = require('@culprit/node'); culprit.init();\n`;
const FAIL = `${START}culprit.captureException(new Error('x')); culprit.flush();`;

let host: Programs;
let endpoint: RecordingEndpoint;
beforeAll(async () => {
  host = await programs();
}, INSTALL_MAX_MS);
afterAll(() => host.folder.remove());
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(async () => {
  await endpoint.close();
  for (const name of ['.git', '.culprit', 'package.json'])
    rmSync(inFolder(name), { recursive: true, force: true });
});

const inFolder = (name: string) => join(host.folder.path, name);
const contextOf = (event: JsonRecord | undefined): JsonRecord =>
  isRecord(event?.context) ? event.context : {};

async function sentWith(env: Record<string, string>, source = FAIL): Promise<JsonRecord> {
  const end = await host.run('app.cjs', source, {
    version: '24',
    env: { ...connectedTo(endpoint.url), ...env },
  });
  expect(end).toMatchObject({ code: 0, stderr: '' });
  expect(endpoint.faults).toEqual([]);
  const event = endpoint.events('backend_exception').at(-1);
  if (event === undefined) throw new Error('nothing arrived');
  return event;
}

describe('the facts of an exception', () => {
  it('hold commit and branch of the platform, and a release made of them', async () => {
    const event = await sentWith({
      GITHUB_SHA: COMMIT,
      GITHUB_REF_NAME: 'main',
      SOURCE_VERSION: 'f'.repeat(40),
    });
    expect(contextOf(event)).toMatchObject({
      release: COMMIT.slice(0, 7),
      git: { commit: COMMIT, branch: 'main', source: 'env' },
    });
    const named = await sentWith({ CULPRIT_RELEASE: '3.1', CULPRIT_COMMIT: COMMIT });
    expect(contextOf(named).release).toBe('3.1');
  });

  it('take release and service from package.json, but no version that nobody maintains', async () => {
    host.folder.write('package.json', JSON.stringify({ name: 'shop-api', version: '4.2.0' }));
    const event = await sentWith({ CULPRIT_SERVICE: '' });
    expect([contextOf(event).release, event.service]).toMatchObject(['4.2.0', { name: 'shop-api' }]);
    host.folder.write('package.json', JSON.stringify({ name: 'shop-api', version: '1.0.0' }));
    const unset = await sentWith({ CULPRIT_SERVICE: '', OTEL_SERVICE_NAME: 'by-otel' });
    expect([contextOf(unset).release, unset.service]).toMatchObject([undefined, { name: 'by-otel' }]);
    expect(contextOf(unset).git).toBeUndefined();
  });

  it('describe process and machine, and the members, causes and constructor of the error', async () => {
    const event = await sentWith(
      {},
      `${START}
      class StockError extends Error {}
      const error = new StockError('no stock', { cause: new AggregateError([new RangeError('one')], 'many', { cause: 'busy' }) });
      Object.assign(error, { code: 'E_STOCK', sku: 'A-1', suppressed: new TypeError('first'), errors: [error, 'late'] });
      culprit.captureException(error); culprit.flush();`,
    );
    const payload = isRecord(event.payload) ? event.payload : {};
    expect(payload).toMatchObject({
      name: 'StockError',
      causes: [
        { name: 'AggregateError', message: 'many' },
        { name: 'Error', message: 'busy', stack: null },
        { name: 'TypeError', message: 'first' },
        { name: 'Error', message: 'late', stack: null },
      ],
      runtime: {
        name: 'node',
        version: process.versions.node,
        platform: process.platform,
        arch: process.arch,
        pid: expect.any(Number),
        hostname: hostname(),
        uptime_sec: expect.any(Number),
        thread_id: 0,
        memory: { rss: expect.any(Number), heap_used: expect.any(Number) },
      },
    });
    expect(contextOf(event)).toMatchObject({
      error: { code: 'E_STOCK', sku: 'A-1' },
      environment: { os: process.platform },
    });
  });

  it.each([
    ['has call sites made of it', 'sites'],
    ['fails to format it', 'missing.member'],
  ])('hold the stacks of a host that %s', async (_, made) => {
    const event = await sentWith(
      {},
      `${START}Error.prepareStackTrace = (_error, sites) => ${made}; function pay() { return new RangeError('x'); }
       culprit.captureException(Object.assign(pay(), { cause: pay() })); culprit.flush();`,
    );
    const { stack, causes } = Object(event.payload);
    for (const text of [stack, causes[0].stack])
      expect(text).toMatch(/^RangeError: x\n {4}at pay \(.*app\.cjs:2:\d+\)\n/);
  });

  it('name the debug ids of the files of every stack, from where each file has its own', async () => {
    const id = (n: number) => `8531483${n}-023f-4cf1-a267-535f4e37bb17`;
    const made = "module.exports = () => new Error('built');";
    const files: Record<string, string> = {
      'ends.cjs': `${made}\n//# debugId=${id(1).toUpperCase()}\n`,
      'far.cjs': `${made}\r\n//# debugId=${id(2)}\r\n//# sourceMappingURL=x.map\r\n//${'x'.repeat(3500)}`,
      'inline.cjs': `if (0) (e._debugIds=e._debugIds||{})[n]="${id(3)}";\n${made}\n//# debugId=${id(3)}\n//# sourceMappingURL=data:,${'x'.repeat(100_000)}`,
      '(shop) 1/runs.cjs': `globalThis._debugIds={...globalThis._debugIds,[new Error().stack]:'${id(4)}'};${made}`,
      'without.cjs': made,
    };
    for (const [path, text] of Object.entries(files)) host.folder.write(path, text);
    const make = Object.keys(files).map((path) => `require('./${path}')()`);
    const event = await sentWith(
      {},
      `${START}const errors = [${make.join(', ')}]; errors[0].cause = errors[1];
        culprit.captureException(Object.assign(errors[0], { errors: errors.slice(2) }));
        const known = Object.entries(culprit.getDiagnostics().debugIds).filter(([file]) => file.endsWith('.cjs'));
        if (known.length !== 6 || known.filter(([, id]) => id === null).length !== 2) throw new Error(JSON.stringify(known));
        culprit.flush();`,
    );
    expect(Object(event.payload).debug_ids).toEqual({
      [inFolder('ends.cjs')]: id(1),
      [inFolder('far.cjs')]: id(2),
      [inFolder('inline.cjs')]: id(3),
      [inFolder('(shop) 1/runs.cjs')]: id(4),
    });
  });

  it('name the release that the build left', async () => {
    for (const [option, left, release] of [
      ['', "globalThis._culpritRelease = 'shop@2'", 'shop@2'],
      ['', "globalThis.SENTRY_RELEASE = { id: 'shop@3' }", 'shop@3'],
      ["{ release: 'own' }", "globalThis._culpritRelease = 'shop@2'", 'own'],
    ]) {
      const event = await sentWith(
        { CULPRIT_RELEASE: 'of-the-environment' },
        `const culprit = require('@culprit/node'); culprit.init(${option}); ${left};
         culprit.captureException(new Error('released')); culprit.flush();`,
      );
      expect(contextOf(event).release).toBe(release);
    }
  });
});

describe('local mode', () => {
  const files = () => readdirSync(inFolder('.culprit/local/events'));
  const eventsIn = (name: string): JsonRecord[] =>
    JSON.parse(readFileSync(join(inFolder('.culprit/local/events'), name), 'utf8'));
  const modeOf = (name: string) => (statSync(inFolder(name)).mode & 0o777).toString(8);

  it('writes files that only the user may read, ignores them for git once, and uses no network', async () => {
    host.folder.write('.git/HEAD', 'ref: refs/heads/feature/x\n');
    host.folder.write('.git/refs/heads/feature/x', `${COMMIT}\n`);
    const source = `
      const { Socket } = require('node:net');
      Socket.prototype.connect = () => { console.log('network'); throw new Error('network'); };
      ${FAIL}`;
    const env = { ...connectedTo(endpoint.url), CULPRIT_ENVIRONMENT: '', NODE_ENV: 'development' };
    const first = await host.run('app.cjs', source, { version: '24', env });
    // The token is set and not used, which is worth a line.
    expect(first).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining("mode: 'connected'"),
    });
    expect(readFileSync(inFolder('.culprit/.gitignore'), 'utf8').trim()).toBe('*');
    expect(files()).toEqual([expect.stringMatching(/^\d{13}-\d{4,}-host\.events\.json$/)]);
    const [name = ''] = files();
    expect([
      modeOf('.culprit/local'),
      modeOf('.culprit/local/events'),
      modeOf(`.culprit/local/events/${name}`),
    ]).toEqual(['700', '700', '600']);
    const [event] = eventsIn(name);
    expect(checkEvent(JSON.parse(JSON.stringify(event)))).toMatchObject({ ok: true });
    expect(event).toMatchObject({
      service: { environment: 'development' },
      context: { release: COMMIT.slice(0, 7), git: { commit: COMMIT, branch: 'feature/x', source: 'local' } },
    });
    host.folder.write('.culprit/.gitignore', 'mine\n');
    await host.run('app.cjs', source, { version: '24', env });
    expect(files()).toHaveLength(2);
    expect(readFileSync(inFolder('.culprit/.gitignore'), 'utf8')).toBe('mine\n');
    expect(endpoint.arrivals).toEqual([]);
  });

  it('keeps what a crash and the end of a process leave', async () => {
    const env = { NODE_ENV: 'development', CULPRIT_SERVICE: 'host' };
    const crash = `${START}setTimeout(() => { throw new Error('crashed'); }, 5);`;
    expect(await host.run('app.cjs', crash, { version: '24', env })).toMatchObject({ code: 1 });
    const end = `${START}culprit.captureException(new Error('ended')); process.exit(0);`;
    await host.run('app.cjs', end, { version: '24', env });
    const messages = files()
      .flatMap(eventsIn)
      .map(({ payload }) => Object(payload).message);
    expect(messages.toSorted()).toEqual(['crashed', 'ended']);
    expect(existsSync(inFolder('.culprit/local/spool'))).toBe(false);
  });

  it('tells verifySetup the file, and sends nothing else than in connected mode', async () => {
    const source = `${START}culprit.verifySetup().then((verdict) => console.log(JSON.stringify(verdict)));`;
    const end = await host.run('app.cjs', source, { version: '24', env: { NODE_ENV: 'development' } });
    const { ok, status, reason } = JSON.parse(end.stdout);
    expect([ok, status]).toEqual([true, null]);
    expect(JSON.parse(readFileSync(reason, 'utf8'))).toMatchObject([
      { context: { verification: true, verification_type: 'setup' } },
    ]);
  });
});
