import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** Node with `--permission`: the host runs as without the library, which says once what it cannot do, and still sends. */

const INSTALL_MAX_MS = 300_000;

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

const PROGRAM = `
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { captureException, flush, init } from '@culprit/node';
init();
const server = createServer((request, response) => { response.statusCode = 500; response.end(); });
server.listen(0, async () => {
  captureException(new TypeError('captured'));
  const sent = await fetch('http://127.0.0.1:' + server.address().port + '/asked').catch(() => ({}));
  await flush(1_000);
  console.log('host', sent.status);
  if (process.argv[2] === 'crash') throw new RangeError('crash');
  const isWaiting = () => readdirSync('.culprit', { recursive: true }).some((name) => name.includes('.events.json'));
  while (process.argv[2] === 'drain' && isWaiting()) await new Promise((done) => setTimeout(done, 20));
  process.exit(0);
});`;

const messages = () =>
  endpoint.events().map(({ payload }) => Object(payload).message ?? Object(payload).response_status);

async function run(version: '20' | '24' | '26', flags: readonly string[], ...parameters: string[]) {
  const ended = await host.run('app.mjs', PROGRAM, {
    version,
    args: [version === '20' ? '--experimental-permission' : '--permission', '--allow-fs-read=*', ...flags],
    parameters,
    env: connectedTo(endpoint.url),
  });
  const told = ended.stderr.split('\n').filter((line) => line.startsWith('[culprit]'));
  expect(endpoint.faults).toEqual([]);
  return { ...ended, told };
}

describe.each(['20', '24', '26'] as const)('on Node %s', (version) => {
  const NET = version === '26' ? ['--allow-net'] : [];

  it('with nothing but files to read, errors and requests are sent, and one line says what is missing', async () => {
    const { code, stdout, told } = await run(version, NET);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'host 500\n' });
    expect(messages()).toEqual(['captured', 500]);
    expect(told).toEqual([
      expect.stringMatching(
        /without --allow-worker and --allow-fs-write=\S+\/\.culprit\*, so an error that ends the process is lost\.$/,
      ),
    ]);
  });

  it('a crash ends as without the library, and is sent where threads are allowed', async () => {
    const { code, stderr, told } = await run(version, [...NET, '--allow-worker'], 'crash');
    expect(code).toBe(1);
    expect(stderr).toContain('RangeError: crash');
    expect(messages()).toContain('crash');
    expect(told).toEqual([expect.stringContaining('so events that cannot be sent are not kept')]);
  });
});

it('without the network it says so, and the host goes on', async () => {
  const source = `
import { captureException, flush, init } from '@culprit/node';
init();
captureException(new TypeError('captured'));
await flush(200);
console.log('host runs');`;
  const { code, stdout, stderr } = await host.run('quiet.mjs', source, {
    version: '26',
    args: ['--permission', '--allow-fs-read=*'],
    env: connectedTo(endpoint.url),
  });
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'host runs\n' });
  const told = stderr.split('\n').filter((line) => line.startsWith('[culprit]'));
  expect(told[0]).toMatch(/without --allow-net, so nothing is sent\.$/);
  expect(told).toHaveLength(1);
});

it('a crash waits on disk where only files may be written, and is sent by the next start', async () => {
  const first = await run('24', [`--allow-fs-write=${host.folder.path}/.culprit*`], 'crash');
  expect(first.code).toBe(1);
  expect(first.told).toEqual([expect.stringContaining('is sent when it starts again')]);
  expect(messages()).not.toContain('crash');
  await run('24', ['--allow-fs-write=*', '--allow-worker'], 'drain');
  expect(messages()).toContain('crash');
});
