import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runningEmbeddedPostgresUrl } from '../../src/platform/db/embedded/embedded-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { reservePort } from '../support/reserved-port.ts';
import { IMPATIENT_SERVER, IMPATIENT_SERVER_SOURCES } from '../support/server-program.ts';

/** The program as it is started by an operator, with a data directory of its own, and the means to kill its parts. */
export interface RealService {
  url: string;
  /** Where its files are, those of the objects in `objects`. */
  dataDir: string;
  /** Starts it and waits until it says that it is ready. */
  start(): Promise<void>;
  /** Starts it and waits for nothing. */
  begin(): void;
  /** Runs the administrator's command beside it. */
  bootstrap(
    project: string,
  ): Promise<{ projectId: string; projectToken: string; memberToken: string; dsn: string }>;
  /** SIGKILL, in the middle of whatever it does; false when that part does not run at the moment. */
  kill(part: ServicePart): boolean;
  /** Ends the supervisor and waits until it has ended: `SIGKILL`, or `SIGTERM` for its exit code. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** Process ids of API and workers of this service, whoever started them. */
  roleProcesses(): Promise<number[]>;
  /** Process id of its database server; null when none runs. */
  postgresProcess(): number | null;
  databaseUrl(): Promise<string>;
  /** What it said last, for messages of failed tests. */
  lastLines(): string;
  /** Ends everything and removes the data. */
  remove(): Promise<void>;
}

const SERVICE_PARTS = ['api', 'worker', 'postgres', 'supervisor'] as const;
export type ServicePart = (typeof SERVICE_PARTS)[number];

const ADMIN = fileURLToPath(new URL('../../src/admin/main.ts', import.meta.url));
const ROLE_PROCESS = /\/role-process\.[jt]s\0/;
const START_TIMEOUT_MS = 60_000;
const LINES_KEPT = 60;

/** @param preload modules that every process and thread of the program loads first */
export async function createRealService(preload: readonly string[] = []): Promise<RealService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'culprit-service-'));
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    CULPRIT_DATA_DIR: dataDir,
    CULPRIT_PORT: String(port),
    CULPRIT_HOST: '127.0.0.1',
    CULPRIT_BASE_URL: url,
    CULPRIT_LOG_LEVEL: 'info',
    CULPRIT_CANARY: 'off',
    CULPRIT_FREE_SPACE_MIN_BYTES: '1048576',
  };
  const imports = preload.flatMap((path) => ['--import', path]);
  const program = preload.length === 0 ? IMPATIENT_SERVER : IMPATIENT_SERVER_SOURCES;
  const lines: string[] = [];
  let supervisor: ChildProcess | null = null;
  let announced: (() => void) | null = null;
  const newest: { api: number | null; worker: number | null } = { api: null, worker: null };

  function listen(line: string): void {
    lines.push(line);
    if (lines.length > LINES_KEPT) lines.shift();
    if (line.startsWith('Culprit is ready')) announced?.();
    if (!line.includes('"process is ready"')) return;
    const { part, childPid }: Record<string, unknown> = JSON.parse(line);
    if ((part === 'api' || part === 'worker') && typeof childPid === 'number') newest[part] = childPid;
  }

  function begin(): void {
    newest.api = null;
    newest.worker = null;
    const child = spawn(process.execPath, [...imports, program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    supervisor = child;
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', listen);
  }

  function isRunning(): boolean {
    return supervisor !== null && supervisor.exitCode === null && supervisor.signalCode === null;
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = supervisor;
    if (child === null || !isRunning()) return child?.exitCode ?? null;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  }

  const service: RealService = {
    url,
    dataDir,
    begin,
    async start() {
      const ready = new Promise<void>((resolve) => {
        announced = resolve;
      });
      begin();
      const child = supervisor;
      const ended = child === null ? Promise.resolve() : once(child, 'exit');
      const timer = setTimeout(() => child?.kill('SIGKILL'), START_TIMEOUT_MS);
      const isReady = await Promise.race([ready.then(() => true), ended.then(() => false)]);
      clearTimeout(timer);
      if (!isReady) throw new Error(`the service did not start:\n${service.lastLines()}`);
    },
    async bootstrap(project) {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [ADMIN, 'bootstrap', '--email', `${project}@example.test`, '--project', project, '--json'],
        { env },
      );
      const { project_id, project_token, member_token, dsn }: Record<string, unknown> = JSON.parse(stdout);
      return {
        projectId: String(project_id),
        projectToken: String(project_token),
        memberToken: String(member_token),
        dsn: String(dsn),
      };
    },
    kill(part) {
      if (part === 'supervisor') return isRunning() && (supervisor?.kill('SIGKILL') ?? false);
      return killHard(part === 'postgres' ? service.postgresProcess() : newest[part]);
    },
    end,
    async roleProcesses() {
      const found: number[] = [];
      for (const name of await readdir('/proc')) {
        const pid = Number(name);
        if (Number.isInteger(pid) && (await isRoleOf(pid, dataDir))) found.push(pid);
      }
      return found;
    },
    postgresProcess() {
      try {
        const pid = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
        return isAlive(pid) ? pid : null;
      } catch {
        return null;
      }
    },
    databaseUrl: () =>
      eventually(() => {
        const found = runningEmbeddedPostgresUrl(dataDir);
        if (found === null) throw new Error('no database is running');
        return found;
      }),
    lastLines: () => lines.join('\n'),
    async remove() {
      await end('SIGKILL');
      killHard(service.postgresProcess());
      for (const pid of await service.roleProcesses()) killHard(pid);
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
  return service;
}

function killHard(pid: number | null): boolean {
  if (pid === null) return false;
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Also after the supervisor died, when nothing but environment and program tells whose process it was. */
async function isRoleOf(pid: number, dataDir: string): Promise<boolean> {
  try {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    if (!ROLE_PROCESS.test(command)) return false;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    return environment.split('\0').includes(`CULPRIT_DATA_DIR=${dataDir}`);
  } catch {
    return false;
  }
}
