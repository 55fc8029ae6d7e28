import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runningEmbeddedPostgresUrl } from '../../packages/server/src/platform/db/embedded/embedded-postgres.ts';
import { reservePort } from '../../packages/server/test/support/reserved-port.ts';

/** The service as `npm start` runs it, on a data directory of the benchmark. */
export interface Service {
  host: string;
  port: number;
  pid: number;
  dataDir: string;
  databaseUrl: string;
  /** From the start of the process until `/ready` answered 200. */
  startMs: number;
  createProject(name: string): Promise<BenchProject>;
  /** Stops in order; the data stays. Rejects when the exit code is not 0. */
  stop(): Promise<void>;
}

export interface BenchProject {
  projectToken: string;
  memberToken: string;
  /** The setting for a library of Sentry. */
  dsn: string;
  /** UUID, as the database has it. */
  projectId: string;
}

const START = fileURLToPath(new URL('../../scripts/start.sh', import.meta.url));
const ADMIN = fileURLToPath(new URL('../../packages/server/src/admin/main.ts', import.meta.url));
const HOST = '127.0.0.1';
/** The owner of the projects of the benchmark. */
export const BENCH_EMAIL = 'bench@example.test';
const READY_TIMEOUT_MS = 60_000;
const READY_POLL_MS = 5;
const LOG_TAIL_CHARS = 2000;

/**
 * Starts the service and waits until it is ready.
 * @param settings besides those that every measured service has
 */
export async function startService(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Service> {
  mkdirSync(dataDir, { recursive: true });
  const port = await reservePort();
  const environment = {
    ...process.env,
    CULPRIT_PORT: String(port),
    CULPRIT_DATA_DIR: dataDir,
    CULPRIT_BASE_URL: `http://localhost:${port}`,
    ...settings,
  };
  const logPath = `${dataDir}.log`;
  const log = openSync(logPath, 'a');
  const begin = performance.now();
  // The service notices the end of the process that is named, however it comes.
  const child = spawn('sh', [START, String(process.pid)], { env: environment, stdio: ['ignore', log, log] });
  closeSync(log);
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  running.set(child, exited);
  void exited.then(() => running.delete(child));
  await untilReady(child, port, logPath);
  const startMs = performance.now() - begin;
  return {
    host: HOST,
    port,
    pid: child.pid ?? 0,
    dataDir,
    databaseUrl: runningEmbeddedPostgresUrl(dataDir) ?? '',
    startMs,
    createProject: (name) => createProject(name, environment),
    async stop() {
      child.kill('SIGTERM');
      const code = await exited;
      if (code !== 0) throw new Error(`the service ended with ${code}:\n${logTail(logPath)}`);
    },
  };
}

/** Stops those that run now, for a benchmark that is aborted. */
export async function stopServices(): Promise<void> {
  for (const child of running.keys()) child.kill('SIGTERM');
  await Promise.all(running.values());
}

/** With the end of each. */
const running = new Map<ChildProcess, Promise<number | null>>();

/** Removes the data of a service that was stopped. */
export function removeData(dataDir: string): void {
  rmSync(dataDir, { recursive: true, force: true });
  rmSync(`${dataDir}.log`, { force: true });
}

/** A directory name under the benchmark's own that is not used yet. */
export function newDataDir(directory: string): string {
  dataDirs += 1;
  return join(directory, `data-${dataDirs}`);
}

let dataDirs = 0;

async function untilReady(child: ChildProcess, port: number, logPath: string): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the service did not start:\n${logTail(logPath)}`);
    const status = await fetch(`http://${HOST}:${port}/ready`).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await delay(READY_POLL_MS);
  }
  throw new Error(`the service was not ready in time:\n${logTail(logPath)}`);
}

function logTail(path: string): string {
  return readFileSync(path, 'utf8').slice(-LOG_TAIL_CHARS);
}

/** By the administrator's command, as an operator would. */
async function createProject(
  name: string,
  environment: Record<string, string | undefined>,
): Promise<BenchProject> {
  const args = [ADMIN, 'bootstrap', '--email', BENCH_EMAIL, '--project', name, '--json'];
  const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`bootstrap ended with ${code}`);
  const made = JSON.parse(output);
  return {
    projectToken: made.project_token,
    memberToken: made.member_token,
    dsn: made.dsn,
    projectId: String(made.project_id).slice('proj_'.length),
  };
}
