import { readConfig } from '../platform/config.ts';
import { createLogger } from '../platform/log.ts';
import { startFailureText } from './start-failure.ts';
import { type Role, type RunningRole, startRole } from './start-role.ts';

/** A child process of the supervisor with one role. It ends when the supervisor does. */

/** What the supervisor tells its child; the password of our own database never stands in an environment. */
export type RoleCommand = { kind: 'start'; role: Role; databaseUrl: string; port: number } | { kind: 'stop' };
export type RoleReport = { kind: 'ready'; address: string | null } | { kind: 'failed'; message: string };

/** Longer than any stop that goes well (reliability rule A7). */
const STOP_TIMEOUT_MS = 10_000;

let running: RunningRole | null = null;
let isStopping = false;

process.on('message', (command: RoleCommand) => {
  if (command.kind === 'start') void start(command);
  else void stop();
});
// The supervisor is gone, perhaps killed: nobody would restart or stop this process any more.
process.on('disconnect', () => void stop());
// The terminal sends its signals to the whole group; the supervisor decides the order of stopping.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// It may have gone before anybody listened for that.
if (!process.connected) process.exit(1);

async function start({ role, databaseUrl, port }: Extract<RoleCommand, { kind: 'start' }>): Promise<void> {
  try {
    const config = readConfig(process.env);
    const log = createLogger({ level: config.logLevel, role });
    process.on('unhandledRejection', (error) => {
      log.fatal({ error: error instanceof Error ? error.stack : String(error) }, 'unhandled rejection');
      process.exit(1);
    });
    running = await startRole(role, config, { databaseUrl, port, log });
    report({ kind: 'ready', address: running.address });
  } catch (error) {
    // Not before it is on its way: nobody else tells the operator why.
    report({ kind: 'failed', message: startFailureText(error) }, () => process.exit(1));
  }
}

async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
  const isClean = running === null ? true : await running.stop();
  process.exit(isClean ? 0 : 1);
}

function report(message: RoleReport, done: () => void = () => {}): void {
  if (process.connected && process.send !== undefined) process.send(message, done);
  else done();
}
