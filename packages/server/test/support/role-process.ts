import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ThreadDuty } from '../../src/roles/thread-settings.ts';
import type { PlanSettings } from '../../src/workspace/billing/plan.ts';
import type { ApiChildSettings } from './api-child.ts';
import type { TestCulprit } from './culprit.ts';
import { supportProgram } from './server-program.ts';
import type { WorkerChildSettings } from './worker-child.ts';

/** A role of a test service in a process of its own. Whoever starts one kills it. */
export interface RoleProcess {
  /** What it reported when it was ready: the API its address. */
  report: string;
  pid: number;
  /** Ends the process at once, in the middle of whatever it does. */
  kill(): Promise<void>;
}

/** Workers beside those of the service, by default one thread for events. */
export async function startWorkerProcess(
  culprit: TestCulprit,
  options: {
    plans: PlanSettings;
    duties?: readonly ThreadDuty[];
    /** How much longer or shorter the waits of repetition are. */
    retryScale?: number;
    /** Also does what the main thread of a worker does; its mail goes where the service's goes. */
    hasBackground?: boolean;
    /** Takes what the process writes, at this level of its log. */
    output?: { level: string; write: (text: string) => void };
  },
): Promise<RoleProcess> {
  const mail = {
    transport: 'file',
    smtpUrl: null,
    from: 'Culprit <culprit@example.test>',
    directory: culprit.mailDirectory,
  } as const;
  const settings: WorkerChildSettings = {
    databaseUrl: culprit.databaseUrl,
    objectStore: culprit.objectStore,
    plans: options.plans,
    constants: { baseUrl: culprit.url, appUrl: culprit.url },
    logLevel: options.output?.level ?? LOG_LEVEL,
    retryScale: options.retryScale ?? 1,
    duties: options.duties ?? ['events'],
    ...(options.hasBackground === true
      ? {
          background: {
            mail,
            dataKeyText: keyText(culprit),
            outbound: culprit.outbound,
            deliveries: culprit.deliveries,
          },
        }
      : {}),
  };
  return await startChild('worker-child', settings, options.output?.write);
}

/** A second API on the database and objects of the service. */
export async function startApiProcess(
  culprit: TestCulprit,
  options: { plans: PlanSettings },
): Promise<RoleProcess> {
  return await startChild('api-child', apiSettings(culprit, options.plans));
}

/** What a process with `api-child.ts` is told to be a second API of the service. */
export function apiSettings(culprit: TestCulprit, plans: PlanSettings): ApiChildSettings {
  return {
    databaseUrl: culprit.databaseUrl,
    connectionsMax: 8,
    objectStore: culprit.objectStore,
    host: '127.0.0.1',
    port: 0,
    baseUrl: culprit.url,
    appUrl: culprit.url,
    corsOrigins: [],
    trustedProxies: [],
    github: null,
    oidc: null,
    slack: null,
    plans,
    signIn: culprit.signInSettings,
    operators: { emails: [], isFirstOwner: false },
    installation: culprit.installation,
    dataKeyText: keyText(culprit),
    outbound: culprit.outbound,
    freeSpaceMinBytes: 1,
    drainMs: 0,
    version: 'test',
    mcp: 'read',
    dashboardDirectory: null,
    packagesDirectory: null,
    metrics: { token: null, askWorker: null },
    canary: null,
    logLevel: LOG_LEVEL,
  };
}

/** Secrets do not travel between processes as such. */
function keyText(culprit: TestCulprit): string {
  return culprit.dataKey.reveal().toString('base64');
}

const LOG_LEVEL = process.env.CULPRIT_TEST_LOG ?? 'fatal';

async function startChild(
  name: 'worker-child' | 'api-child',
  settings: object,
  write?: (text: string) => void,
): Promise<RoleProcess> {
  const isSilent = write !== undefined;
  const child = fork(supportProgram(name), { execArgv: [], silent: isSilent });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => write?.(chunk.toString('utf8')));
  }
  const ended = once(child, 'exit');
  child.send(settings);
  const first: unknown[] | null = await Promise.race([once(child, 'message'), ended.then(() => null)]);
  if (first === null) throw new Error(`${name} ended before it was ready`);
  return {
    report: String(first[0]),
    pid: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
