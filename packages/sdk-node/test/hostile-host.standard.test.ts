import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** C-02 to C-04 of docs/contract/clients.md on the packed library: importing, two copies, hostile arguments. */

const INSTALL_MAX_MS = 300_000;
const ENTRIES = [
  '',
  ...['express', 'fastify', 'koa', 'hono', 'next', 'fetch', 'http'].map((name) => `/${name}`),
]
  .concat(['/pino', '/winston', '/bunyan'])
  .map((entry) => `@culprit/node${entry}`);

let host: Programs;
let endpoint: RecordingEndpoint;
beforeAll(async () => {
  host = await programs();
}, INSTALL_MAX_MS);
afterAll(() => host.folder.remove());
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

const messages = () => endpoint.events().map(({ payload }) => Object(payload).message);

describe.each(['20', '24'] as const)('on Node %s', (version) => {
  it('importing an entry does nothing, and the process ends by itself', async () => {
    const source = `
      const { subscribe } = require('node:diagnostics_channel');
      const fs = require('node:fs');
      const globals = () => Reflect.ownKeys(globalThis).map(String).sort().join();
      const listeners = () => process.eventNames().map((name) => String(name) + process.listenerCount(name)).join();
      const facts = () => [globals(), listeners(), Error.stackTraceLimit, console.log, console.error, fetch,
        setTimeout, Promise, process.emit, require('node:http').request, require('node:fs').existsSync('.culprit'),
        process.getActiveResourcesInfo().join()];
      facts();
      const before = facts();
      const channels = ['http.server.request.start', 'undici:request:create', 'console.log', 'fastify.initialization'];
      for (const entry of ${JSON.stringify(ENTRIES)}) {
        const loaded = require(entry);
        facts().forEach((fact, at) => { if (fact !== before[at]) throw new Error(entry + ' changed ' + at + ': ' + fact); });
        for (const name of channels)
          if (require('node:diagnostics_channel').channel(name).hasSubscribers) throw new Error(entry + ' ' + name);
      }
      Promise.all(${JSON.stringify(ENTRIES)}.map((entry) => import(entry))).then(() => {
        // The loader of modules itself reads files, so what is active is no fact of the entries here.
        facts().slice(0, -1).forEach((fact, at) => { if (fact !== before[at]) throw new Error('import changed ' + at + ': ' + fact); });
        console.log('unchanged');
      });`;
    const env = connectedTo(endpoint.url);
    expect(await host.run('app.cjs', source, { version, env })).toMatchObject({
      code: 0,
      stdout: 'unchanged\n',
      stderr: '',
    });
    expect(endpoint.arrivals).toEqual([]);
  });

  it('require, import and a second installed copy are one client', async () => {
    const source = `
      import { createRequire } from 'node:module';
      import { cpSync } from 'node:fs';
      import { dirname, join } from 'node:path';
      import * as loaded from '@culprit/node';
      const require = createRequire(import.meta.url);
      const required = require('@culprit/node');
      const copy = join(import.meta.dirname ?? process.cwd(), 'other/node_modules/@culprit/node');
      cpSync(dirname(require.resolve('@culprit/node/package.json')), copy, { recursive: true, dereference: true });
      const second = createRequire(join(copy, '../../../index.js'))('@culprit/node');
      if (second.init === required.init) throw new Error('it is the same copy');
      console.log(loaded.init(), second.init(), required.isEnabled(), second.isEnabled());
      const error = new Error('shared');
      const ids = [loaded, required, second].map(({ captureException }) => captureException(error));
      console.log(new Set(ids).size);
      second.setTag('set', 'by the second');
      second.captureException(new RangeError('second'));
      console.log(JSON.stringify(second.getDiagnostics().dropped.duplicate), await second.close());
      console.log(loaded.isEnabled(), second.init(), loaded.isEnabled(), await loaded.close());`;
    const env = connectedTo(endpoint.url);
    const end = await host.run('app.mjs', source, { version, env });
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(end.stdout.split('\n')).toEqual([
      'true true true true',
      '1',
      '2 true',
      'false true true true',
      '',
    ]);
    expect(messages()).toEqual(['shared', 'second']);
    expect(Object(endpoint.events().at(-1)?.context).tags).toEqual({ set: 'by the second' });
  });

  it('flush and close come to an end where the host stops every timer and the next tick', async () => {
    const source = `
      const culprit = require('@culprit/node');
      culprit.init();
      const stopped = () => ({ ref() { return this; }, unref() { return this; } });
      for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']) globalThis[name] = stopped;
      performance.now = () => 0;
      Date.now = () => 0;
      process.nextTick = stopped;
      culprit.captureException(new Error('stopped'));
      culprit.flush(20).then(async (flushed) => [flushed, await culprit.close(20)])
        .then((ends) => process._rawDebug(JSON.stringify(ends)), process._rawDebug);`;
    const { stderr } = await host.run('app.cjs', source, { version, env: connectedTo(endpoint.url) });
    expect(stderr).toMatch(/^\[(?:true|false),(?:true|false)\]\n$/);
  });

  it('register starts it from the environment, and `enabled` stops it', async () => {
    const source = `setTimeout(() => { throw new Error('registered'); }, 20);`;
    const args = ['--import', '@culprit/node/register'];
    const env = connectedTo(endpoint.url);
    expect(await host.run('app.mjs', source, { version, env, args })).toMatchObject({ code: 1 });
    expect(messages()).toEqual(['registered']);
    // An address of its own: a request of the first program may still be on its way to the other.
    const untouched = await startRecordingEndpoint();
    const off = { ...connectedTo(untouched.url), CULPRIT_ENABLED: 'false' };
    expect(await host.run('app.mjs', source, { version, env: off, args })).toMatchObject({ code: 1 });
    expect(untouched.arrivals).toEqual([]);
    await untouched.close();
  });

  it('register takes the variables that PM2 hands to a process of a cluster, which it sets later', async () => {
    const source = `setTimeout(() => { throw new Error('of ' + process.env.HOME_OF_APP); }, 20);`;
    const args = ['--import', '@culprit/node/register'];
    const handed = { name: 'shop', instances: 2, HOME_OF_APP: 'pm2', ...connectedTo(endpoint.url) };
    const env = { pm2_env: JSON.stringify(handed) };
    expect(await host.run('app.mjs', source, { version, env, args })).toMatchObject({ code: 1 });
    expect(endpoint.events()).toMatchObject([
      // A variable of the application is PM2's matter.
      { service: { name: 'host' }, payload: { message: 'of undefined' } },
    ]);
    for (const text of ['', 'none', 'null', '[1]']) {
      const end = await host.run('idle.mjs', '', { version, env: { pm2_env: text }, args });
      expect(end).toMatchObject({ code: 0 });
    }
  });

  it('no argument makes a function throw or reject, before init, after it, after close and while disabled', async () => {
    const source = `
      const culprit = require('@culprit/node');
      const revoked = () => { const made = Proxy.revocable({}, {}); made.revoke(); return made.proxy; };
      const thrower = () => new Proxy({}, { get() { throw new Error('get'); }, ownKeys() { throw new Error('keys'); },
        has() { throw new Error('has'); }, getPrototypeOf() { throw new Error('proto'); },
        getOwnPropertyDescriptor() { throw new Error('descriptor'); } });
      const read = (error) => { String(error.stack); return error; };
      const getters = () => Object.defineProperties(read(new Error('x')), Object.fromEntries(
        ['message', 'name', 'stack', 'user', 'tags', 'context', 'method', 'url', 'headers', 'status', 'id', 'type',
         'category', 'data', 'heavy', 'version', 'commit', 'deployedAt', 'handled', 'severity', 'request', 'response',
         'cause', 'errors', 'constructor', 'toString', 'body', 'routeTemplate', 'verification', 'enabled', 'token']
          .map((name) => [name, { get() { throw new Error(name); }, enumerable: true, configurable: true }])));
      const values = [() => undefined, () => null, () => 1n, () => Symbol('s'), () => Object.create(null), revoked,
        thrower, getters, () => () => { throw new Error('called'); }, () => NaN, () => 'x', () => ({}), () => []];
      const names = Object.keys(culprit).filter((name) => typeof culprit[name] === 'function' && name !== 'init' && name !== 'close');
      const runsHost = new Set(['withScope', 'withRequest', 'withJob']);
      const faults = [];
      async function all(when) {
        for (const name of names) for (const first of values) for (const second of values) {
          const parameters = [first(), second(), second()];
          if (runsHost.has(name) && parameters.some((each) => typeof each === 'function')) continue;
          if (name === 'flush' || name === 'verifySetup' || name === 'announceDeploy') { if (second !== values[0]) continue; }
          try { await culprit[name](...parameters); } catch (error) { faults.push(when + ' ' + name + ': ' + error?.message); }
        }
        const scope = culprit.currentScope();
        for (const name of Object.keys(scope)) for (const first of values) for (const second of values)
          try { scope[name](first(), second()); } catch (error) { faults.push(when + ' scope.' + name + ': ' + error?.message); }
      }
      (async () => {
        await all('before');
        if (culprit.getDiagnostics().captured !== 0) faults.push('captured before init');
        for (const value of values.slice(1)) try { culprit.init({ enabled: false, initialScope: value() }); } catch (error) { faults.push('init'); }
        culprit.init({ enabled: false });
        await all('disabled');
        for (const key of ['initialScope', 'capture', 'redactValues', 'redactKeys', 'ignoreErrors', 'beforeSend', 'spool',
          'git', 'tracePropagationTargets', 'onDiagnostic', 'release', 'sampleRate', 'stackFrames', 'ignoreRequests']) {
          for (const value of values) {
            try { if (!culprit.init({ [key]: value() })) faults.push('not started with ' + key + ' ' + value); }
            catch (error) { faults.push('init ' + key); }
            await culprit.close(0);
          }
        }
        for (const value of [...values, () => undefined]) { try { culprit.init(value()); await culprit.close(0); } catch { faults.push('init'); } }
        if (!culprit.init({ transport: async ({ events }) => ({ status: 202, body: JSON.stringify({ accepted: events, rejected: 0, errors: [] }) }) })) faults.push('off');
        await all('after');
        const { captured, sent, waiting, dropped } = culprit.getDiagnostics();
        const ended = Object.values(dropped).reduce((sum, count) => sum + count, 0);
        if (captured !== sent + waiting + ended || captured < 20) faults.push('counts ' + [captured, sent, waiting, ended]);
        await culprit.close(0);
        await all('closed');
        console.log([...new Set(faults)].join('\\n') || 'none');
      })();`;
    const env = connectedTo(endpoint.url);
    const end = await host.run('app.cjs', source, { version, env });
    expect(end).toMatchObject({ code: 0, stdout: 'none\n' });
  });
});
