import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSize } from '../../../server/test/support/run-size.ts';
import { type CliHome, createCliHome } from '../support/built-cli.ts';
import { answerJson, startStandIn } from '../support/stand-in.ts';

/** Files that are larger than the memory of an import may become (C-29). */

const FILE_MIB = runSize('CULPRIT_IMPORT_MIB', { standard: 48, long: 1024 });
const MEMORY_MIB_MAX = 128;
const TEST_MAX_MS = 900_000;
const TOO_LONG_LINE = 1001;

let home: CliHome;
beforeAll(async () => {
  home = await createCliHome();
});
afterAll(() => home.remove());

it('are imported within 128 MiB, and an event above 1 MiB is rejected with its line', {
  timeout: TEST_MAX_MS,
}, async () => {
  const { path, lines } = writeEvents(FILE_MIB * 1_048_576);
  let peakMib = 0;
  let importer = 0;
  const server = await startStandIn((request, response) => {
    void buffer(request).then((body) => {
      // The peak of the process up to now, which the system keeps. The last batch sees what the whole import took.
      const status = readFileSync(`/proc/${importer}/status`, 'utf8');
      peakMib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
      const { events } = JSON.parse(body.toString('utf8'));
      answerJson(response, 202, { accepted: events.length, rejected: 0, errors: [] });
    });
  });
  try {
    const running = home.start(['send', path, '--json'], {
      environment: { CULPRIT_URL: server.url, CULPRIT_PROJECT_TOKEN: `svc_proj_${'a'.repeat(32)}` },
    });
    importer = running.pid;
    const { code, out, err } = await running.ended;
    expect({ code, err }).toMatchObject({ code: 7 });
    expect(JSON.parse(out)).toMatchObject({
      accepted: lines - 1,
      rejected: 1,
      reasons: { 'larger than 1 MiB': 1 },
    });
    const rejected: unknown = JSON.parse(home.read('events.ndjson.rejected.ndjson'));
    expect(rejected).toMatchObject({ line: TOO_LONG_LINE });
  } finally {
    await server.stop();
  }
  expect(peakMib).toBeLessThan(MEMORY_MIB_MAX);
  expect(peakMib).toBeGreaterThan(0);
});

/** A file of at least so many bytes, with one line that is too long. */
function writeEvents(bytesMin: number): { path: string; lines: number } {
  const path = home.write('events.ndjson', '');
  const file = openSync(path, 'a');
  let bytes = 0;
  let lines = 0;
  try {
    while (bytes < bytesMin) {
      const part = Array.from({ length: 1000 }, (_, index) => eventLine(lines + index)).join('\n');
      bytes += writeSync(file, `${part}\n`);
      lines += 1000;
      if (lines !== TOO_LONG_LINE - 1) continue;
      bytes += writeSync(file, `{"message":"${'x'.repeat(1_100_000)}"}\n`);
      lines += 1;
    }
  } finally {
    closeSync(file);
  }
  return { path, lines };
}

/** Without an id, so that the import has to make one of each line. */
function eventLine(number: number): string {
  return JSON.stringify({
    event_type: 'log_event',
    occurred_at: '2026-11-25T10:00:00.000Z',
    service: { name: 'import', environment: 'production' },
    payload: {
      level: 'info',
      message: `order ${number} was paid`,
      attributes: { number, note: 'a word '.repeat(40), list: [1, 2, { number }] },
    },
  });
}
