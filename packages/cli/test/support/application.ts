import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { installHosts } from '../../../sdk-test-hosts/hosts.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { type CliHome, environmentOf } from './built-cli.ts';
import type { DiskRegistry } from './disk-registry.ts';

/** An application in the home of a test: its files, in a repository of git. */
export interface TestApplication {
  path: string;
  /** Every file that git tracks or would track, with its content. */
  files(): Record<string, string>;
  /** Runs a program in its folder; throws with the output when it fails. */
  run(program: string, args: readonly string[]): Promise<string>;
  /** Starts it with the variables of its file, and waits for the port that it prints. */
  start(folder: string, args: readonly string[]): Promise<{ origin: string; stop(): Promise<void> }>;
}

/** The environment in which package managers find the registry of the disk and nothing else. */
export async function withRegistry(home: CliHome, registry: DiskRegistry): Promise<Record<string, string>> {
  home.write('.npmrc', `registry=${registry.url}\naudit=false\nfund=false\nupdate-notifier=false\n`);
  home.write('.yarnrc', `registry "${registry.url}"\n`);
  return {
    // Other versions of Node are among the hosts: this one goes first.
    PATH: `${dirname(process.execPath)}:${join(await installHosts(), '.bin')}:${process.env.PATH ?? ''}`,
    npm_config_registry: registry.url,
    YARN_REGISTRY: registry.url,
    COREPACK_ENABLE_STRICT: '0',
  };
}

const RUN_MAX_MS = 120_000;

export async function createApplication(
  home: CliHome,
  name: string,
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
): Promise<TestApplication> {
  for (const [file, content] of Object.entries(files)) home.write(join(name, file), content);
  const path = join(home.path, name);
  const env = environmentOf(home.path, environment);
  // Not synchronously: this process is the registry that package managers ask.
  const run = async (program: string, args: readonly string[]) =>
    (await promisify(execFile)(program, args, { cwd: path, env, timeout: RUN_MAX_MS })).stdout;
  await run('git', ['init', '--quiet']);
  await run('git', ['add', '--all']);
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.test'];
  await run('git', [...author, 'commit', '--quiet', '-m', 'start']);
  return {
    path,
    run,
    files: () => Object.fromEntries(filesBelow(path).map((file) => [relative(path, file), read(file)])),
    async start(folder, args) {
      const child = spawn(process.execPath, args, {
        cwd: join(path, folder),
        env: environmentOf(home.path),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let out = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          out += text;
        });
      const ended = new Promise((resolve) => child.once('close', resolve));
      const origin = await eventually(() => {
        const [, port] = /listens on (\d+)/.exec(out) ?? [];
        if (port === undefined) throw new Error(`the application does not listen: ${out}`);
        return `http://127.0.0.1:${port}`;
      });
      return {
        origin,
        async stop() {
          child.kill();
          await ended;
        },
      };
    },
  };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name !== '.git' && name !== 'node_modules')
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? filesBelow(path) : [path];
    });
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}
