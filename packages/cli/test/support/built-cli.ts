import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildCli } from '../../../../scripts/cli/build.ts';

/** What one run of the program did. */
export interface Ran {
  code: number | NodeJS.Signals;
  out: string;
  err: string;
}

interface RunOptions {
  input?: string;
  /** On top of an environment that holds nothing of the machine but the path. */
  environment?: Readonly<Record<string, string>>;
  /** Below the home. */
  directory?: string;
}

/** A person's home in which the built program is run. Whoever makes one removes it. */
export interface CliHome {
  path: string;
  /** Runs the program to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Starts the program, for those that do not end by themselves. */
  start(args: readonly string[], options?: RunOptions): RunningCli;
  /** Runs the program, and reads what it prints as JSON; throws when it failed. */
  json(args: readonly string[], options?: RunOptions): Promise<unknown>;
  write(name: string, content: string): string;
  read(name: string): string;
  remove(): void;
}

export interface RunningCli {
  pid: number;
  out(): string;
  err(): string;
  kill(signal: NodeJS.Signals): void;
  write(text: string): void;
  closeInput(): void;
  ended: Promise<Ran>;
}

let built: Promise<string> | null = null;

/** The entry of the built program, built once for each process of the test runner. */
export function builtCli(): Promise<string> {
  built ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'culprit-cli-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    await buildCli(folder);
    return join(folder, 'dist/main.js');
  })();
  return built;
}

export async function createCliHome(): Promise<CliHome> {
  const main = await builtCli();
  const path = mkdtempSync(join(tmpdir(), 'culprit-home-'));
  const start = (args: readonly string[], options: RunOptions = {}): RunningCli => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: options.directory === undefined ? path : join(path, options.directory),
      env: environmentOf(path, options.environment),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const written = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      written.err += text;
    });
    // A program that ends before it has read everything is no failure of the test.
    child.stdin.on('error', () => {});
    if (options.input !== undefined) child.stdin.end(options.input);
    const ended = new Promise<Ran>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code: code ?? signal ?? 'SIGKILL', ...written }));
    });
    return {
      pid: child.pid ?? 0,
      out: () => written.out,
      err: () => written.err,
      kill: (signal) => void child.kill(signal),
      write: (text) => void child.stdin.write(text),
      closeInput: () => void child.stdin.end(),
      ended,
    };
  };
  const run = (args: readonly string[], options: RunOptions = {}) =>
    start(args, { input: '', ...options }).ended;
  return {
    path,
    start,
    run,
    async json(args, options) {
      const { code, out, err } = await run([...args, '--json'], options);
      if (code !== 0) throw new Error(`culprit ${args.join(' ')} ended with ${code}: ${err}`);
      return JSON.parse(out);
    },
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    read: (name) => readFileSync(join(path, name), 'utf8'),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Where the user's settings are, below the home. */
export const CONFIG = '.config/culprit';

export function environmentOf(
  home: string,
  changes: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm-256color', ...changes };
}
