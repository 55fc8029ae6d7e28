import { type Config, ConfigError, readConfig } from '../platform/config/config.ts';
import { createLogger } from '../platform/log.ts';
import { startReleasingMemory } from '../platform/release-memory.ts';
import { VERSION } from '../version.ts';
import { buildBeside, dashboardBuilt } from './built-beside.ts';
import { prepareDatabase } from './prepare-database.ts';
import { prepareObjectStore } from './prepare-object-store.ts';
import { sameSettings } from './same-settings.ts';
import { startFailureText } from './start-failure.ts';
import type { RunningRole } from './start-role.ts';
import { readStarter, watchStarter } from './starter.ts';
import { startSupervisor } from './supervisor.ts';

/** The time limit of a role (docs/contract/reliability.md A7), without the time for which it continues to serve. */
const STOP_TIMEOUT_MS = 10_000;
/** For the database, which stops after the roles. */
const SUPERVISOR_STOP_TIMEOUT_MS = STOP_TIMEOUT_MS + 2000;

const USAGE = `Usage: npm start [-- --roles api|worker]

Runs Culprit: everything on this machine, or one role, which requires CULPRIT_DATABASE_URL.
Settings are environment variables, listed in docs/configuration.md. The most important ones:

  CULPRIT_PORT       port to listen on (4800)
  CULPRIT_DATA_DIR   where the data is (./data)
  CULPRIT_BASE_URL   address under which others reach it (http://localhost:<port>)

Administrator commands: npm run -s admin -- --help
`;

/** The options that only the tests' own entry sets. */
interface ProgramOptions {
  /** Multiplies the delays between retries. */
  retryScale: number;
}

/**
 * Runs the service with the settings of the environment: everything on this machine, or the one role that
 * `CULPRIT_ROLES` or `--roles` names. Ends the process when the service stops.
 */
export async function runProgram(options: ProgramOptions): Promise<void> {
  // If the reader of our output has ended, or the disk is full, that is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // Node would open its debugger.
  process.on('SIGUSR1', () => {});
  startReleasingMemory();
  try {
    await run(options, process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`Culprit could not start: ${startFailureText(error)}\n`);
    process.exit(1);
  }
}

async function run({ retryScale }: ProgramOptions, allArgs: readonly string[]): Promise<void> {
  const { starterPid, args } = readStarter(allArgs);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  const config = readConfig(withRolesArgument(process.env, args));
  const onlyRole = config.roles.length === 1 ? config.roles[0] : undefined;
  const log = createLogger({
    level: config.logLevel,
    format: config.logFormat,
    role: onlyRole ?? 'supervisor',
  });
  for (const warning of config.warnings) log.warn(warning);
  const stopTimeoutMs = onlyRole === undefined ? SUPERVISOR_STOP_TIMEOUT_MS : STOP_TIMEOUT_MS;
  let stopping: Promise<boolean> | null = null;
  let service: { stop(): Promise<boolean> } | null = null;

  function stop(isFailure: boolean): void {
    if (stopping !== null) return;
    const deadline = setTimeout(() => process.exit(1), config.drainMs + stopTimeoutMs);
    deadline.unref();
    stopping = service?.stop() ?? Promise.resolve(true);
    stopping.then(
      (isClean) => process.exit(isClean && !isFailure ? 0 : 1),
      () => process.exit(1),
    );
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(false));
  if (starterPid !== null) {
    watchStarter(starterPid, () => stop(false));
    if (onlyRole !== 'worker') {
      buildBeside({ dashboard: config.isDashboardOn, packages: config.arePackagesOn });
    }
  }

  if (onlyRole !== undefined) {
    const databaseUrl = config.databaseUrl?.reveal() ?? '';
    await prepareDatabase(databaseUrl, {
      isVouchedFor: config.isDatabaseDurabilityVouched,
      log,
    });
    await prepareObjectStore(config);
    // A supervisor runs its roles in other processes.
    const { startRole } = await import('./start-role.ts');
    const role: RunningRole = await startRole(onlyRole, config, {
      databaseUrl,
      port: config.port,
      askWorker: null,
      isWorkerUp: () => true,
      retryScale,
      log,
    });
    service = role;
    announce(`The ${onlyRole} role is ready${role.address === null ? '' : ` at ${role.address}`}.`);
    return;
  }
  announce(`Culprit ${VERSION} is starting; its data is in ${config.dataDir}`);
  const stopLimitMs = config.drainMs + stopTimeoutMs;
  const supervisor = startSupervisor(config, log, {
    retryScale,
    predecessor: {
      waitMs: stopLimitMs,
      onWaiting: (pid) =>
        announce(
          `Culprit process ${pid} is using ${config.dataDir}; waiting for it to stop, at most ${Math.ceil(stopLimitMs / 1000)} s.`,
        ),
    },
  });
  service = supervisor;
  void supervisor.failed.then((error) => {
    process.stderr.write(`Culprit is stopping: ${error.message}\n`);
    stop(true);
  });
  const address = await supervisor.ready.catch(async (error: unknown) => {
    // Asked to stop, which ends the process, or left behind nothing that runs.
    if (stopping !== null) return null;
    await supervisor.stop().catch(() => {});
    throw error;
  });
  if (address === null) return;
  // A port that was picked is in no setting.
  const { appUrl, baseUrl } =
    config.port === 0 && config.isBaseUrlDefault ? { appUrl: address, baseUrl: address } : config;
  announce(`Culprit is ready at ${appUrl} (API reference: ${baseUrl}/docs), listening on ${address}`);
  if (config.isDashboardOn) void dashboardBuilt().then(() => announce(`Dashboard: ${appUrl}`));
  else announce(howToSignIn(config, baseUrl));
  announce(
    `To create a project and its tokens: ${sameSettings(process.env)}npm run -s admin -- bootstrap --email you@example.com --project my-app --json`,
  );
}

/** `--roles api` is the same as `CULPRIT_ROLES=api`. */
function withRolesArgument(
  env: Record<string, string | undefined>,
  args: readonly string[],
): Record<string, string | undefined> {
  if (args.length === 0) return env;
  const [name, value, ...rest] = args.flatMap((arg) => (arg.startsWith('--roles=') ? splitOnce(arg) : [arg]));
  if (name !== '--roles' || value === undefined || value === '' || rest.length > 0) {
    throw new ConfigError([
      `arguments ${JSON.stringify(args.join(' '))}: only \`--roles api,worker\` is known`,
    ]);
  }
  return { ...env, CULPRIT_ROLES: value };
}

function splitOnce(arg: string): string[] {
  const at = arg.indexOf('=');
  return [arg.slice(0, at), arg.slice(at + 1)];
}

function announce(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns the explanation for an operator, at the start, of how to sign in with a mailed code. */
function howToSignIn(config: Config, address: string): string {
  const ask = `To sign in, request a code: POST ${address}/v1/auth/request-code {"email":"you@example.com","accepted_terms":true}, and keep the cookie from the response`;
  switch (config.emailTransport) {
    case 'console':
      return `${ask}. Mail is printed in this terminal; set CULPRIT_SMTP_URL to have it sent.`;
    case 'file':
      return `${ask}. Mail is written to ${config.emailDir}.`;
    case 'smtp':
      return `${ask}. It is mailed from ${config.emailFrom}.`;
    case 'off':
      return 'Sign-in codes cannot be mailed: mail is off. Set CULPRIT_SMTP_URL.';
  }
}
