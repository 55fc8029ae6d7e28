import { ConfigError, readConfig } from './platform/config.ts';
import { createLogger } from './platform/log.ts';
import { howToSignIn } from './roles/how-to-sign-in.ts';
import { prepareDatabase } from './roles/prepare-database.ts';
import { prepareObjectStore } from './roles/prepare-object-store.ts';
import { startFailureText } from './roles/start-failure.ts';
import type { RunningRole } from './roles/start-role.ts';
import { startSupervisor } from './roles/supervisor.ts';
import { VERSION } from './version.ts';

/** `npm start`: everything on this machine, or the one role that `CULPRIT_ROLES` or `--roles` names. */

/** Of a role (reliability rule A7), besides the time it goes on serving. */
const STOP_TIMEOUT_MS = 10_000;
/** For the database, which stops after the roles. */
const SUPERVISOR_STOP_TIMEOUT_MS = STOP_TIMEOUT_MS + 2000;

// Whoever read our words is gone, or their disk is full: no reason to stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  await run();
} catch (error) {
  process.stderr.write(`Culprit could not start: ${startFailureText(error)}\n`);
  process.exit(1);
}

async function run(): Promise<void> {
  const config = readConfig(withRolesArgument(process.env, process.argv.slice(2)));
  const onlyRole = config.roles.length === 1 ? config.roles[0] : undefined;
  const log = createLogger({ level: config.logLevel, role: onlyRole ?? 'supervisor' });
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

  if (onlyRole !== undefined) {
    const databaseUrl = config.databaseUrl?.reveal() ?? '';
    await prepareDatabase(databaseUrl, { isVouchedFor: config.isDatabaseDurabilityVouched, log });
    await prepareObjectStore(config);
    // A supervisor runs its roles in other processes.
    const { startRole } = await import('./roles/start-role.ts');
    const role: RunningRole = await startRole(onlyRole, config, {
      databaseUrl,
      port: config.port,
      askWorker: null,
      log,
    });
    service = role;
    announce(`The ${onlyRole} role is ready${role.address === null ? '' : ` at ${role.address}`}.`);
    return;
  }
  announce(`Culprit ${VERSION} is starting; its data is in ${config.dataDir}`);
  const supervisor = startSupervisor(config, log);
  service = supervisor;
  void supervisor.failed.then((error) => {
    process.stderr.write(`Culprit stops: ${error.message}\n`);
    stop(true);
  });
  const address = await supervisor.ready.catch(async (error: unknown) => {
    // Asked to stop, which ends the process, or left behind nothing that runs.
    if (stopping !== null) return null;
    await supervisor.stop().catch(() => {});
    throw error;
  });
  if (address === null) return;
  announce(`Culprit is ready at ${address} (API reference: ${address}/docs)`);
  announce(howToSignIn(config, address));
  announce(
    'To get a project and its tokens: npm run -s admin -- bootstrap --email you@example.com --project my-app --json',
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
