import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';
import { type SilentAddress, startSilentAddress } from './support/silent-address.ts';

/** Section 4.2 of docs/contract/clients.md: nothing of the library keeps a process that has ended its work. */

const INSTALL_MAX_MS = 300_000;
/** Longer than a program may run, so that no timeout of a request is what ends it. */
const OPTIONS = '{ timeoutMs: 60_000 }';

let host: Programs;
let endpoint: RecordingEndpoint;
let silent: SilentAddress;
beforeAll(async () => {
  host = await programs();
  silent = await startSilentAddress();
}, INSTALL_MAX_MS);
afterAll(async () => {
  await silent.close();
  await host.folder.remove();
});
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

const start = `const culprit = require('@culprit/node'); culprit.init(${OPTIONS});\n`;
const messages = () => endpoint.events().map(({ payload }) => Object(payload).message);
const spooled = () => {
  const folder = join(host.folder.path, '.culprit/local/spool');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.includes('.events.json'));
};

describe.each(['20', '22', '24', '26'] as const)('on Node %s', (version) => {
  it('a process ends although the connection to the endpoint never opens', async () => {
    const env = connectedTo(silent.url);
    expect(await host.run('app.cjs', start, { version, env })).toMatchObject({ code: 0, signal: null });
  });

  it('what waits then is on disk, and the next start sends it once', async () => {
    const source = `${start}culprit.captureException(new Error('kept')); process.exitCode = 4;`;
    endpoint.answerWith(() => 'hang');
    const env = connectedTo(endpoint.url);
    expect(await host.run('app.cjs', source, { version, env })).toMatchObject({ code: 4, signal: null });
    expect(spooled()).toHaveLength(1);
    endpoint.answerWith(() => undefined);
    const next = `${start}
      const alive = setInterval(() => {}, 1_000);
      process.on('SIGTERM', async () => { await culprit.close(); clearInterval(alive); });
      culprit.verifySetup().then(() => console.log('sent'));`;
    await host.run('next.cjs', next, {
      version,
      env: connectedTo(endpoint.url),
      signal: 'SIGTERM',
    });
    expect(messages()).toContain('kept');
    expect(messages().filter((message) => message === 'kept')).toHaveLength(1);
    expect(spooled()).toEqual([]);
  });

  it('a file of the spool that is being sent at the end waits for the next start, as before', async () => {
    const crash = `${start}culprit.captureException(new Error('kept')); process.exit(6);`;
    endpoint.answerWith(() => 'hang');
    await host.run('app.cjs', crash, { version, env: connectedTo(endpoint.url) });
    const before = spooled();
    expect(before).toHaveLength(1);
    endpoint.answerWith(({ method }) => (method === 'POST' ? 'hang' : undefined));
    // The file is claimed after the configuration has arrived.
    const next = `${start}
      const { readdirSync } = require('node:fs');
      const timer = setInterval(() => {
        if (readdirSync('.culprit/local/spool', { recursive: true }).some((name) => name.endsWith('.sending'))) clearInterval(timer);
      }, 5);`;
    expect(await host.run('next.cjs', next, { version, env: connectedTo(endpoint.url) })).toMatchObject({
      code: 0,
    });
    expect(spooled()).toEqual(before);
    rmSync(join(host.folder.path, '.culprit'), { recursive: true });
  });

  it('an open connection and a waiting context event hold nothing and are not worth the disk', async () => {
    endpoint.answerWith(({ method }) => (method === 'POST' ? 'hang' : undefined));
    const source = `${start}
      culprit.captureLog('context', 'warning');
      setTimeout(() => process.exit(5), 300);`;
    const env = connectedTo(endpoint.url);
    expect(await host.run('app.cjs', source, { version, env })).toMatchObject({ code: 5, signal: null });
    expect(spooled()).toEqual([]);
  });
});
