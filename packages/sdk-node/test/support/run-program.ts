import { spawn } from 'node:child_process';
import { type HostFolder, hostFolder, installHosts, nodeProgram } from '../../../sdk-test-hosts/hosts.ts';
import { TEST_TOKEN } from './recording-endpoint.ts';

/** How a small host program ended. */
export interface ProgramEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  ms: number;
}

interface ProgramOptions {
  version: '20' | '22' | '24' | '26';
  env?: Record<string, string>;
  /** Of Node. */
  args?: readonly string[];
  /** Of the program. */
  parameters?: readonly string[];
  limitMs?: number;
  /** Sent when the program prints its first line. */
  signal?: NodeJS.Signals;
}

/** Programs of a host application, with the packed libraries installed. */
export interface Programs {
  folder: HostFolder;
  /** Writes a file and runs it until it ends. */
  run(name: string, source: string, options: ProgramOptions): Promise<ProgramEnd>;
}

const LIMIT_MS = 30_000;

/** @param packages as `hostFolder` takes them */
export async function programs(packages: Readonly<Record<string, string>> = {}): Promise<Programs> {
  // The versions of Node too, so that no test waits for them.
  await installHosts();
  const folder = await hostFolder(packages);
  return {
    folder,
    async run(name, source, options) {
      const file = folder.write(name, source);
      const node = await nodeProgram(options.version);
      if (node === null) throw new Error(`there is no Node ${options.version} for this machine`);
      return runFile(node, file, folder.path, options);
    },
  };
}

/** Environment of a host that sends to an endpoint. */
export function connectedTo(url: string): Record<string, string> {
  return {
    CULPRIT_PROJECT_TOKEN: TEST_TOKEN,
    CULPRIT_ENDPOINT: url,
    CULPRIT_SERVICE: 'host',
    CULPRIT_ENVIRONMENT: 'production',
  };
}

function runFile(node: string, file: string, cwd: string, options: ProgramOptions): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(node, [...(options.args ?? []), file, ...(options.parameters ?? [])], {
      cwd,
      env: { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), options.limitMs ?? LIMIT_MS);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (stdout === '' && options.signal !== undefined) child.kill(options.signal);
      stdout += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr, ms: performance.now() - startedAt });
    });
  });
}
