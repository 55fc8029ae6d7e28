import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type ProgramEnd, type Programs, programs } from './support/run-program.ts';

/** C-14 and C-15 of docs/contract/clients.md: the library sees how a process ends and changes nothing about it. */

const INSTALL_MAX_MS = 300_000;
const VERSIONS = ['20', '24', '26'] as const;

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

const WITH = `const culprit = require('@culprit/node'); culprit.init();\n`;
/** The same lines, so that stacks and standard error are equal. */
const WITHOUT = `const culprit = { captureException() {} };\n`;

interface Case {
  name: string;
  source: string;
  /** Name and message of what arrives. */
  event: Record<string, unknown>;
  isFatal: boolean;
  /** Of Node. */
  args?: string[];
}

const CASES: Case[] = [
  {
    name: 'an uncaught throw',
    source: `setTimeout(() => { throw new TypeError('thrown'); }, 10);`,
    event: { name: 'TypeError', message: 'thrown', handled: false },
    isFatal: true,
  },
  {
    name: 'a throw while the program loads',
    source: `throw new RangeError('early');`,
    event: { name: 'RangeError', message: 'early', handled: false },
    isFatal: true,
  },
  {
    name: 'an unhandled rejection with an Error',
    source: `Promise.reject(new Error('rejected')); setTimeout(() => {}, 1000);`,
    event: { name: 'Error', message: 'rejected', handled: false },
    isFatal: true,
  },
  {
    name: 'an unhandled rejection with a text',
    source: `Promise.reject('no error'); setTimeout(() => {}, 1000);`,
    event: { name: 'UnhandledPromiseRejection', handled: false },
    isFatal: true,
  },
  {
    name: 'process.exit after a capture',
    source: `culprit.captureException(new Error('captured')); process.exit(3);`,
    event: { name: 'Error', message: 'captured', handled: true },
    isFatal: false,
  },
  {
    name: 'a capture in a listener of the end',
    source: `process.on('exit', () => culprit.captureException(new Error('closed'))); setTimeout(() => process.exit(3), 10);`,
    event: { name: 'Error', message: 'closed', handled: true },
    isFatal: false,
  },
  {
    name: 'the natural end after a capture',
    source: `culprit.captureException(new Error('last')); process.exitCode = 5;`,
    event: { name: 'Error', message: 'last', handled: true },
    isFatal: false,
  },
  {
    name: 'a throw with a listener that goes on',
    source: `process.on('uncaughtException', () => console.log('goes on'));
      setTimeout(() => { throw new Error('survived'); }, 10);`,
    event: { name: 'Error', message: 'survived', handled: false },
    isFatal: false,
  },
  {
    name: 'a rejection with a listener that goes on',
    source: `process.on('unhandledRejection', () => console.log('goes on')); Promise.reject(new Error('kept'));`,
    event: { name: 'Error', message: 'kept', handled: false },
    isFatal: false,
  },
  {
    name: 'a rejection after the listener is removed',
    source: `const listener = () => {}; process.on('unhandledRejection', listener);
      process.off('unhandledRejection', listener); Promise.reject(new Error('bare'));`,
    event: { name: 'Error', message: 'bare', handled: false },
    isFatal: true,
  },
  ...['warn', 'none'].map((mode) => ({
    name: `a rejection with --unhandled-rejections=${mode}`,
    source: `Promise.reject(new Error('passed over')); setTimeout(() => {}, 20);`,
    event: { name: 'Error', message: 'passed over', handled: false },
    isFatal: false,
    args: [`--unhandled-rejections=${mode}`],
  })),
];

/** Warnings name the process. */
const withoutId = (end: ProgramEnd) => ({ ...end, stderr: end.stderr.replace(/\(node:\d+\)/g, ''), ms: 0 });

describe.each(VERSIONS)('on Node %s', (version) => {
  it.each(CASES)('$name arrives, and the process ends as without the library', async (each) => {
    const env = connectedTo(endpoint.url);
    const options = { version, env, args: each.args ?? [] };
    const bare = await host.run('app.cjs', WITHOUT + each.source, options);
    const watched = await host.run('app.cjs', WITH + each.source, options);
    expect(withoutId(watched)).toEqual(withoutId(bare));
    expect(endpoint.faults).toEqual([]);
    expect(endpoint.events().map(({ payload }) => payload)).toMatchObject([each.event]);
    const [event] = endpoint.events('backend_exception');
    expect(Object(event?.context).fatal).toBe(each.isFatal ? true : undefined);
  });

  it('ends by a signal as without the library, and adds no listener of one', async () => {
    const source = `
      console.log(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM'));
      setInterval(() => {}, 1000);`;
    const end = await host.run('app.cjs', WITH + source, {
      version,
      env: connectedTo(endpoint.url),
      signal: 'SIGTERM',
    });
    expect(end).toMatchObject({ code: null, signal: 'SIGTERM', stdout: '0\n', stderr: '' });
  });

  it('does not wait without end for a dead endpoint, and the next start sends the event once', async () => {
    const dead = { ...connectedTo(endpoint.url), CULPRIT_SERVICE: 'host' };
    endpoint.answerWith(() => 'hang');
    const source = `
      setTimeout(() => { throw new Error('spooled'); }, 50);`;
    const init = `require('@culprit/node').init({ crashTimeoutMs: 500 });\n`;
    const end = await host.run('app.cjs', init + source, { version, env: dead });
    expect(end.code).toBe(1);
    endpoint.answerWith(() => undefined);
    // A file leaves the spool when the service has answered for it.
    const next = `
      const { readdirSync } = require('node:fs');
      require('@culprit/node').init();
      const alive = setInterval(() => {
        if (!readdirSync('.culprit/local/spool', { recursive: true }).some((name) => name.includes('.events.'))) clearInterval(alive);
      }, 10);`;
    expect(await host.run('next.cjs', next, { version, env: dead })).toMatchObject({ code: 0 });
    expect(endpoint.events().map(({ payload }) => Object(payload).message)).toEqual(['spooled']);
  });
});
