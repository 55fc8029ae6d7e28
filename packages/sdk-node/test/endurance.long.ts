import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { isRecord, type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** C-13 and C-35 of docs/contract/clients.md at their full size, on the packed library. */

const INSTALL_MAX_MS = 300_000;
const REQUESTS = 100_000;
const FAILURES = 1_000_000;
const SOURCE = readFileSync(join(import.meta.dirname, 'support/endurance.mjs'), 'utf8');

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

async function run(version: '20' | '24', kind: 'requests' | 'storm', count: number) {
  const end = await host.run('app.mjs', SOURCE, {
    version,
    env: connectedTo(endpoint.url),
    args: ['--expose-gc'],
    parameters: [kind, String(count)],
    limitMs: 600_000,
  });
  expect(end).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '');
}

/** Events, and those that the reports of suppression stand for. */
function occurrences(): number {
  return endpoint.events().reduce((sum, { event_type, payload }) => {
    if (event_type !== 'error_suppressed') return sum + (event_type === 'backend_exception' ? 1 : 0);
    return sum + (isRecord(payload) ? Number(payload.suppressed_count) : 0);
  }, 0);
}

it.each(['20', '24'] as const)(
  `on Node %s, ${REQUESTS} requests of which one in ten fails leave no memory behind`,
  async (version) => {
    const { grownMb, waiting } = await run(version, 'requests', REQUESTS);
    expect(grownMb).toBeLessThan(5);
    expect(waiting).toBe(0);
    expect(occurrences()).toBe((REQUESTS + 5_000) / 10);
  },
  600_000,
);

it(`${FAILURES} failures in a loop stay within 16 MB, and every one is counted`, async () => {
  const { peakMb, captured, sent, waiting, dropped } = await run('24', 'storm', FAILURES);
  expect(peakMb).toBeLessThan(16);
  const ended = Object.values(dropped).reduce((sum: number, count) => sum + Number(count), 0);
  expect(captured).toBe(sent + waiting + ended);
  expect(waiting).toBe(0);
  expect(occurrences()).toBe(FAILURES);
}, 600_000);
