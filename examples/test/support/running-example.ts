import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostFolder } from '../../../packages/sdk-test-hosts/hosts.ts';
import { eventually } from '../../../packages/server/test/support/eventually.ts';
import { ROOT } from '../../../scripts/sdk/sdk-packages.ts';

const START_MAX_MS = 60_000;

/** Where the programs of packages are that scripts name. */
const PROGRAMS: Readonly<Record<string, string>> = { next: 'next/dist/bin/next' };

/** An example as its readers have it: its files, and the packed libraries as installed. */
interface Example {
  folder: HostFolder;
  /** Runs a script of its package.json until it ends. @throws Error with the output when it fails */
  run(script: string): Promise<void>;
  /** Runs `npm start` and waits until the example answers. */
  start(port: number, env: Readonly<Record<string, string>>): Promise<RunningExample>;
}

export interface RunningExample {
  origin: string;
  /** What it wrote so far. */
  output(): string;
  stop(): Promise<void>;
}

/**
 * @param name folder below `examples`
 * @param modules the `node_modules` where programs of its scripts are
 */
export function prepareExample(name: string, folder: HostFolder, modules: string): Example {
  cpSync(join(ROOT, 'examples', name), folder.path, { recursive: true });

  function spawnScript(script: string, env: Readonly<Record<string, string>>) {
    const [program = '', ...args] = scriptOf(folder.path, script).split(' ');
    const file = program === 'node' ? [] : [join(modules, PROGRAMS[program] ?? program)];
    const child = spawn(process.execPath, [...file, ...args], {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
      });
    }
    return { child, ended: once(child, 'close'), output: () => output };
  }

  return {
    folder,
    async run(script) {
      const { child, ended, output } = spawnScript(script, {});
      await ended;
      if (child.exitCode !== 0) throw new Error(`npm run ${script} failed.\n${output()}`);
    },
    async start(port, env) {
      const { child, ended, output } = spawnScript('start', { PORT: String(port), ...env });
      const origin = `http://localhost:${port}`;
      await eventually(async () => {
        if (child.exitCode !== null) return;
        await fetch(origin);
      }, START_MAX_MS);
      if (child.exitCode !== null) throw new Error(`The example ended.\n${output()}`);
      return {
        origin,
        output,
        async stop() {
          child.kill();
          await ended;
          await folder.remove();
        },
      };
    },
  };
}

/** As the READMEs say it. */
export function connectedTo(url: string, projectToken: string): Record<string, string> {
  return { CULPRIT_PROJECT_TOKEN: projectToken, CULPRIT_ENDPOINT: url };
}

function scriptOf(folder: string, name: string): string {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  return scripts[name] ?? '';
}
