import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { isMet, type Measured, median } from './measured.ts';

/** Writes `<directory>/<date>.json` with all values of all runs; gives the path. */
export function writeResultFile(
  directory: string,
  run: { startedAt: Date; isQuick: boolean; loadBefore: number; measurements: readonly Measured[] },
): string {
  mkdirSync(directory, { recursive: true });
  const stamp = run.startedAt.toISOString().slice(0, 19).replaceAll(':', '-');
  const path = join(directory, `${stamp}.json`);
  const result = {
    started_at: run.startedAt.toISOString(),
    quick: run.isQuick,
    machine: {
      cores: availableParallelism(),
      cpu: cpus()[0]?.model ?? 'unknown',
      memory_mb: Math.round(totalmem() / 1024 / 1024),
      system: `${type()} ${release()}`,
      node: process.version,
      // A busy machine before the start spoils every figure.
      load_before: run.loadBefore,
      load_after: loadavg()[0] ?? 0,
    },
    rows: run.measurements.map((measured) => ({
      row: measured.row,
      figure: measured.figure,
      unit: measured.unit,
      target: measured.target,
      median: median(measured.values),
      values: measured.values,
      floor_values: measured.floorValues,
      peer: measured.peer ?? null,
      met: isMet(measured),
      processor_time: measured.time ?? null,
      details: measured.details,
    })),
  };
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
  return path;
}
