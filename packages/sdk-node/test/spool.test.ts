import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { captureException, captureLog, close, getDiagnostics, init } from '../src/index.ts';
import { moveClock, moveClockUntil, quiet, stopClock, until } from './support/moved-clock.ts';
import { type RecordingEndpoint, startRecordingEndpoint, TEST_TOKEN } from './support/recording-endpoint.ts';

/** Section 8.5 of docs/contract/clients.md: what is on disk while ingestion fails, and when it leaves it. */

const OTHER_TOKEN = `svc_proj_${'b'.repeat(43)}`;

let endpoint: RecordingEndpoint;
let folder: string;
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
  folder = mkdtempSync(join(tmpdir(), 'culprit-spool-'));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  stopClock();
  // Never ahead of the clock of the file system.
  vi.setSystemTime(Date.now() - 3_600_000);
});
afterEach(async () => {
  vi.useRealTimers();
  await close(0);
  vi.restoreAllMocks();
  await endpoint.close();
  rmSync(folder, { recursive: true });
});

/** Whatever the folder of their owner. */
const files = () =>
  existsSync(join(folder, 'spool'))
    ? readdirSync(join(folder, 'spool'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.includes('.events.json'),
      )
    : [];

async function started(token = TEST_TOKEN): Promise<void> {
  const capture = { requests: false, outgoing: false, console: 'off', warnings: false } as const;
  const spool = { dir: join(folder, 'spool') };
  init({ token, endpoint: endpoint.url, environment: 'production', capture, spool });
  await until(() => getDiagnostics().policyPreset !== null);
}

it('takes signals after 30 s of failures, leaves context in memory, and is sent once the service answers', async () => {
  await started();
  endpoint.answerWith(({ method }) => (method === 'POST' ? { status: 503 } : undefined));
  captureException(new Error('signal'));
  captureLog('context', 'warning');
  for (let second = 0; second < 26; second++) {
    await moveClock(1_000);
    await quiet(3);
  }
  expect(files()).toEqual([]);
  await moveClockUntil(() => files().length > 0);
  expect(files()).toHaveLength(1);
  expect(getDiagnostics().dropped.unload).toBeLessThanOrEqual(1);
  endpoint.answerWith(() => undefined);
  captureException(new RangeError('afterwards'));
  await moveClockUntil(() => files().length === 0 && endpoint.events('backend_exception').length === 2);
  expect(files()).toEqual([]);
  const messages = endpoint.events('backend_exception').map(({ payload }) => Object(payload).message);
  expect(messages.toSorted()).toEqual(['afterwards', 'signal']);
});

it('takes what a close could not send, and the next client sends it', async () => {
  await started();
  endpoint.answerWith(({ method }) => (method === 'POST' ? { status: 503 } : undefined));
  captureException(new Error('left behind'));
  const closing = close(2_000);
  for (let step = 0; step < 40; step++) {
    await moveClock(100);
    await quiet(2);
  }
  expect(await closing).toBe(false);
  expect(files()).toHaveLength(1);
  endpoint.answerWith(() => undefined);
  await started();
  await until(() => files().length === 0);
  expect(endpoint.events().map(({ payload }) => Object(payload).message)).toEqual(['left behind']);
});

it('leaves the files of another token alone, reports them once, and removes them when they are old', async () => {
  await started();
  endpoint.answerWith(({ method }) => (method === 'POST' ? { status: 503 } : undefined));
  captureException(new Error('of the first project'));
  const closing = close(2_000);
  for (let step = 0; step < 40; step++) {
    await moveClock(100);
    await quiet(2);
  }
  await closing;
  expect(files()).toHaveLength(1);
  endpoint.answerWith(() => undefined);
  const [first = ''] = readdirSync(join(folder, 'spool'));
  const hourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(join(folder, 'spool', first), hourAgo, hourAgo);
  const lines = vi.mocked(process.stderr.write).mock.calls;
  const reports = () => lines.filter(([line]) => String(line).includes('for another token or endpoint'));
  for (let start = 0; start < 2; start++) {
    await started(OTHER_TOKEN);
    captureException(new Error(`of the second project ${start}`));
    await moveClockUntil(() => endpoint.events('backend_exception').length === start + 1);
    await until(() => reports().length === 1);
    await close(1_000);
  }
  expect(files()).toHaveLength(1);
  expect(reports()).toHaveLength(1);
  expect(JSON.stringify(endpoint.events())).not.toContain('of the first project');
  vi.setSystemTime(Date.now() + 73 * 3_600_000);
  await started(OTHER_TOKEN);
  captureException(new Error('much later'));
  await moveClockUntil(() => files().length === 0);
});
