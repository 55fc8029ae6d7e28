import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startLoadGenerator } from './load/load-generator.ts';
import type { Measured } from './report/measured.ts';
import { writeResultFile } from './report/result-file.ts';
import { tableOf, timeTableOf } from './report/table.ts';
import { ALL_ROWS } from './rows/all-rows.ts';
import { stopServices } from './service/service.ts';

/**
 * The benchmark: starts fresh services on the embedded defaults, puts load on them from another process, and prints one
 * table. Progress goes to standard error, all values to a file.
 */

const USAGE = `Usage: npm run bench -- [--quick] [--only ROW]... [--directory PATH]

--quick       one short run of each row, to see that everything works
--only        just the row, and what is measured together with it: ${ALL_ROWS.flatMap((group) => group.rows).join(', ')}
--directory   where the measured services keep their data; a directory of the system for temporary files otherwise
`;

const RESULTS = fileURLToPath(new URL('./results', import.meta.url));
const RUNS = 3;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const QUICK_SHARE = 0.25;

let isAborting = false;

try {
  await run();
} catch (error) {
  // A failure because the service was stopped is not reported.
  if (!isAborting)
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      directory: { type: 'string', default: tmpdir() },
      help: { type: 'boolean', default: false },
    },
  });
  const known = ALL_ROWS.flatMap((group) => group.rows);
  const unknown = values.only.find((row) => !known.includes(row));
  if (values.help || unknown !== undefined) {
    process.stderr.write(`${unknown === undefined ? '' : `There is no row ${unknown}.\n\n`}${USAGE}`);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const groups = ALL_ROWS.filter(
    ({ rows }) => values.only.length === 0 || rows.some((row) => values.only.includes(row)),
  );
  const startedAt = new Date();
  const loadBefore = loadavg()[0] ?? 0;
  const directory = mkdtempSync(join(resolve(values.directory), 'culprit-bench-'));
  const generator = startLoadGenerator();
  const measurements: Measured[] = [];
  onAbort(async () => {
    generator.stop();
    await stopServices();
    rmSync(directory, { recursive: true, force: true });
  });
  try {
    for (const group of groups) {
      const measured = await group.measure({
        generator,
        directory,
        runs: values.quick ? 1 : RUNS,
        scaled: (amount) => (values.quick ? Math.ceil(amount * QUICK_SHARE) : amount),
        progress: (text) => process.stderr.write(`${text}\n`),
      });
      measurements.push(...measured);
      process.stderr.write(`${tableOf(measured)}\n`);
    }
  } finally {
    generator.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  const times = timeTableOf(measurements);
  process.stdout.write(`${tableOf(measurements)}\n${times === '' ? '' : `\n${times}\n`}`);
  const path = writeResultFile(RESULTS, { startedAt, isQuick: values.quick, loadBefore, measurements });
  process.stderr.write(`All values: ${relative(process.cwd(), path)}\n`);
}

/** Cleans up when the benchmark is stopped by a signal, or its parent is killed, and ends with exit code 1. */
function onAbort(cleanUp: () => Promise<void>): void {
  function abort(): void {
    if (isAborting) return;
    isAborting = true;
    process.stderr.write('Stopping the services of the benchmark…\n');
    cleanUp().then(
      () => process.exit(1),
      () => process.exit(1),
    );
  }
  for (const signal of SIGNALS) process.on(signal, abort);
  process.on('disconnect', abort);
  // The channel to `npm run` alone does not keep this process running.
  process.channel?.unref();
}
