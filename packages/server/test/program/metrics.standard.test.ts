import { randomBytes } from 'node:crypto';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX } from '../conformance/incidents-fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { scrape } from '../support/metrics-client.ts';
import {
  addressOf,
  createDataDirectory,
  logEntries,
  type RunningProgram,
  runAdmin,
  startProgram,
} from '../support/program.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** Who tells which metrics, in processes of their own. */

const TIMEOUT_MS = 120_000;
const API = { role: 'api' };
const WORKER = { role: 'worker' };

describe('on one machine', { timeout: TIMEOUT_MS }, () => {
  let data: Awaited<ReturnType<typeof createDataDirectory>>;
  let server: RunningProgram;
  let address: string;
  let token: string;
  beforeAll(async () => {
    data = await createDataDirectory();
    const settings = { CULPRIT_DATA_DIR: data.path, CULPRIT_PORT: '0', CULPRIT_WORKER_THREADS: '2' };
    server = startProgram(settings);
    address = await addressOf(server);
    const { stdout } = await runAdmin(settings, [
      ...['bootstrap', '--email', 'ada@example.test', '--project', 'shop', '--json'],
    ]);
    const made: unknown = JSON.parse(stdout);
    token = isJsonObject(made) ? String(made.project_token) : '';
  }, TIMEOUT_MS);
  afterAll(async () => {
    server.kill('SIGTERM');
    await server.ended;
    await data.remove();
  });

  it('one scrape has those of the API and of the worker with its threads, apart', async () => {
    acknowledgement(await sendEvents(address, token, [EX(), EX()]));
    await eventually(async () => {
      const page = await scrape(address);
      const fate = (role: object, fate: string) => page.value('culprit_event_fates_total', { ...role, fate });
      expect([fate(API, 'submitted'), fate(API, 'processed')]).toEqual([2, 0]);
      expect([fate(WORKER, 'submitted'), fate(WORKER, 'processed')]).toEqual([0, 2]);
    });
    const page = await scrape(address);
    for (const role of [API, WORKER]) {
      expect(page.value('culprit_up', role)).toBe(1);
      expect(page.value('process_resident_memory_bytes', role)).toBeGreaterThan(10_000_000);
      expect(page.value('process_cpu_seconds_total', role)).toBeGreaterThan(0);
      expect(page.value('process_start_time_seconds', role)).toBeGreaterThan(1_000_000_000);
    }
    expect(page.value('culprit_database_up')).toBe(1);
    // Sampled once a second: a process that has just begun has none yet.
    await eventually(async () => {
      const later = await scrape(address);
      for (const role of [API, WORKER])
        expect(later.value('nodejs_eventloop_lag_p99_seconds', role)).toBeGreaterThan(0);
    });
  });

  it('a dead worker is told as down, and the API goes on telling', async () => {
    const [ready] = logEntries(server, 'process is ready').filter(({ part }) => part === 'worker');
    const workerPid = Number(ready?.childPid);
    // Stopped, so that it can neither answer nor be replaced before somebody looked.
    process.kill(workerPid, 'SIGSTOP');
    const page = await scrape(address);
    expect([page.status, page.value('culprit_up', API)]).toEqual([200, 1]);
    expect(page.text).toContain('culprit_up{role="worker"} 0\n');
    expect(page.text).not.toContain('culprit_event_fates_total{role="worker"');
    process.kill(workerPid, 'SIGKILL');
    await eventually(async () => expect((await scrape(address)).value('culprit_up', WORKER)).toBe(1), 60_000);
  });
});

describe('a worker with a process of its own', { timeout: TIMEOUT_MS }, () => {
  let data: Awaited<ReturnType<typeof createDataDirectory>>;
  beforeAll(async () => {
    data = await createDataDirectory();
  });
  afterAll(() => data.remove());

  it('tells its metrics at a port of its own, and nothing else', async () => {
    const worker = startProgram(
      {
        CULPRIT_DATABASE_URL: await createTestDatabase(),
        CULPRIT_DATA_KEY: randomBytes(32).toString('base64'),
        CULPRIT_DATA_DIR: data.path,
        CULPRIT_METRICS_PORT: '0',
        CULPRIT_METRICS_TOKEN: 'a-token',
        CULPRIT_WORKER_THREADS: '1',
      },
      ['--roles', 'worker'],
    );
    try {
      const address = await eventually(() => {
        const [entry] = logEntries(worker, 'metrics are served');
        if (entry === undefined) throw new Error(`no listener: ${worker.stderr()}`);
        return String(entry.address);
      }, 60_000);
      const page = await scrape(address);
      expect(page.value('culprit_event_fates_total', { ...WORKER, fate: 'processed' })).toBe(0);
      expect(page.value('process_resident_memory_bytes', WORKER)).toBeGreaterThan(10_000_000);
      expect((await scrape(address, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(403);
      expect((await fetch(`${address}/v1/projects`)).status).toBe(404);
    } finally {
      worker.kill('SIGTERM');
    }
    expect(await worker.ended).toBe(0);
  });
});
