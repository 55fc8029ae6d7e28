import { randomBytes } from 'node:crypto';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import type { Role } from '../../src/roles/start-role.ts';
import { eventually } from './eventually.ts';
import { type LoadBalancer, startLoadBalancer } from './load-balancer.ts';
import { giveCredentials } from './object-stores.ts';
import { type ProgramSettings, type RunningProgram, runAdmin, startProgram } from './program.ts';
import { type S3Server, startS3Server } from './s3-server.ts';
import { IMPATIENT_SERVER } from './server-program.ts';

/** The program as it is run beyond one machine: processes of one role each, on one database and one S3 store. */
export interface SplitService {
  /** Of the load balancer. */
  url: string;
  balancer: LoadBalancer;
  s3: S3Server;
  settings: ProgramSettings;
  /** Starts one more process; waits for nothing. */
  begin(role: Role): SplitPart;
  /** Starts one more process and waits until it says that it is ready. */
  start(role: Role): Promise<SplitPart>;
  /** Ends a process and waits for its end; returns its exit code or signal. */
  end(part: SplitPart, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | NodeJS.Signals>;
  /** Those that run. */
  parts(): SplitPart[];
  bootstrap(
    project: string,
  ): Promise<{ projectId: string; projectToken: string; memberToken: string; dsn: string }>;
  stop(): Promise<void>;
}

interface SplitPart {
  role: Role;
  program: RunningProgram;
  /** Resolves when it is ready, for an API with its address; rejects when it ends before. */
  ready: Promise<string | null>;
}

const READY = /The (?:api|worker) role is ready(?: at (http:\/\/\S+?))?\.\n/;
/** Several start at once, and each loads much. */
const READY_TIMEOUT_MS = 90_000;

export async function createSplitService(
  databaseUrl: string,
  changes: ProgramSettings = {},
): Promise<SplitService> {
  const s3 = await startS3Server();
  const forgetCredentials = giveCredentials(s3.credentials);
  const balancer = await startLoadBalancer();
  let parts: SplitPart[] = [];
  const settings: ProgramSettings = {
    CULPRIT_DATABASE_URL: databaseUrl,
    CULPRIT_DATA_KEY: randomBytes(32).toString('base64'),
    CULPRIT_OBJECT_STORE: s3.setting,
    CULPRIT_BASE_URL: balancer.url,
    CULPRIT_PORT: '0',
    CULPRIT_WORKER_THREADS: '1',
    ...changes,
  };

  const service: SplitService = {
    url: balancer.url,
    balancer,
    s3,
    settings,
    begin(role) {
      const program = startProgram(settings, ['--roles', role], { program: IMPATIENT_SERVER });
      const part = { role, program, ready: addressOf(program) };
      parts.push(part);
      part.ready.then(
        (address) => {
          if (address !== null && parts.includes(part)) balancer.add(address);
        },
        () => {},
      );
      return part;
    },
    async start(role) {
      const part = service.begin(role);
      await part.ready;
      return part;
    },
    async end(part, signal) {
      part.program.kill(signal);
      const ending = await part.program.ended;
      parts = parts.filter((each) => each !== part);
      const address = await part.ready.catch(() => null);
      if (address !== null) balancer.remove(address);
      return ending;
    },
    parts: () => [...parts],
    async bootstrap(project) {
      const { stdout, stderr } = await runAdmin(settings, [
        ...['bootstrap', '--email', `${project}@example.test`, '--project', project, '--json'],
      ]);
      const made: unknown = JSON.parse(stdout || 'null');
      if (!isJsonObject(made)) throw new Error(`no project was made: ${stderr}`);
      return {
        projectId: String(made.project_id),
        projectToken: String(made.project_token),
        memberToken: String(made.member_token),
        dsn: String(made.dsn),
      };
    },
    async stop() {
      await Promise.all(parts.map((part) => service.end(part, 'SIGKILL')));
      await balancer.close();
      await s3.close();
      forgetCredentials();
    },
  };
  return service;
}

async function addressOf(program: RunningProgram): Promise<string | null> {
  let hasEnded = false;
  void program.ended.then(() => {
    hasEnded = true;
  });
  const found = await eventually(() => {
    const line = READY.exec(program.stdout());
    if (line === null && !hasEnded) throw new Error(`not ready:\n${program.stdout()}\n${program.stderr()}`);
    return line;
  }, READY_TIMEOUT_MS);
  if (found === null) throw new Error(`ended before it was ready: ${program.stderr()}`);
  return found[1] ?? null;
}
