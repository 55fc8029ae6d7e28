import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCli } from '../../scripts/cli/build.ts';
import { type Measured, median } from '../report/measured.ts';
import type { RowGroup } from './row-group.ts';
import { withService } from './with-service.ts';

/**
 * The time of the built command line above an empty script of the same Node started right before it
 * (docs/contract/command-line.md 1.3).
 */

const STARTS = 9;
/**
 * Prints the most memory that the program ever had, in KiB. Of the two figures of the system, the usual one counts what
 * the process was before it became this program.
 */
const MEMORY = `import { readFileSync } from 'node:fs';
process.on('exit', () => process.stderr.write(/VmHWM:.*/.exec(readFileSync('/proc/self/status', 'utf8'))[0]));`;

interface Started {
  figure: string;
  args: readonly string[];
  aboveFloorMsMax: number;
}

const COMMANDS: readonly Started[] = [
  { figure: 'culprit --version', args: ['--version'], aboveFloorMsMax: 15 },
  { figure: 'culprit --help', args: ['--help'], aboveFloorMsMax: 35 },
  { figure: 'culprit incidents --help', args: ['incidents', '--help'], aboveFloorMsMax: 35 },
  { figure: 'a completion request', args: ['complete', '--', 'incidents', ''], aboveFloorMsMax: 40 },
  {
    figure: 'culprit incidents list --json',
    args: ['incidents', 'list', '--json'],
    aboveFloorMsMax: 75,
  },
];

export const cli: RowGroup = {
  rows: ['cli'],
  async measure(context) {
    const folder = join(context.directory, 'cli');
    await buildCli(folder);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const main = join(folder, 'dist/main.js');
    return await withService(context, async (service) => {
      const project = await service.createProject('cli');
      const environment = {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        CULPRIT_URL: `http://${service.host}:${service.port}`,
        CULPRIT_TOKEN: project.memberToken,
      };
      const rows: Measured[] = [];
      for (const { figure, args, aboveFloorMsMax } of COMMANDS) {
        context.progress(figure);
        const floors: number[] = [];
        const times: number[] = [];
        for (let start = 0; start < context.scaled(STARTS) + 1; start += 1) {
          const floor = await run(['-e', '0'], environment);
          const time = await run([main, ...args], environment);
          // The first start of each reads its files from the disk.
          if (start === 0) continue;
          floors.push(floor.ms);
          times.push(time.ms);
        }
        rows.push({
          row: 'cli',
          figure: `${figure}, above an empty script of ${median(floors).toFixed(0)} ms`,
          unit: 'ms',
          values: times.map((ms, at) => ms - (floors[at] ?? 0)),
          floorValues: null,
          target: { kind: 'at_most', value: aboveFloorMsMax },
          details: { ms: times, floorMs: floors },
        });
      }
      const { err } = await run(
        [`--import=data:text/javascript,${encodeURIComponent(MEMORY)}`, main, 'incidents', 'list'],
        environment,
      );
      rows.push({
        row: 'cli',
        figure: 'memory of culprit incidents list',
        unit: 'MiB',
        values: [Number(/VmHWM:\s+(\d+)/.exec(err)?.[1] ?? Number.NaN) / 1024],
        floorValues: null,
        target: { kind: 'at_most', value: 80 },
        details: {},
      });
      return rows;
    });
  },
};

function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ ms: number; err: string }> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, {
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve({ ms: performance.now() - startedAt, err });
      else reject(new Error(`culprit ${args.slice(1).join(' ')} ended with ${code}: ${err}`));
    });
  });
}
