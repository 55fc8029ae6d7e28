import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import { type Config, readConfig } from '../platform/config.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import {
  runningEmbeddedPostgresUrl,
  startEmbeddedPostgres,
} from '../platform/db/embedded/embedded-postgres.ts';
import { EmbeddedPostgresError } from '../platform/db/embedded/embedded-postgres-error.ts';
import { createLogger } from '../platform/log.ts';
import { planSettings } from '../roles/plan-settings.ts';
import { prepareDatabase } from '../roles/prepare-database.ts';
import { startFailureText } from '../roles/start-failure.ts';
import { bootstrap } from './bootstrap.ts';

/** The administrator's commands. They work beside a running server and, on the embedded database, without one. */

const USAGE = `Usage: npm run -s admin -- bootstrap --email ADDRESS --project NAME [--json]

bootstrap   Makes or finds the person, their organization and the project, and prints fresh tokens for both.
`;

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/;
/** How long a server that is just starting may take before its database can be used. */
const SERVER_START_TIMEOUT_MS = 60_000;
const SERVER_START_POLL_MS = 200;

/** The command line is not usable. */
class UsageError extends Error {
  override name = 'UsageError';
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  const text = error instanceof UsageError ? `${error.message}\n\n${USAGE}` : `${startFailureText(error)}\n`;
  process.stderr.write(text);
  process.exitCode = 1;
}

async function run(args: string[]): Promise<void> {
  const [command, ...rest] = args;
  if (command === 'bootstrap') {
    await runBootstrap(rest);
    return;
  }
  process.stderr.write(USAGE);
  process.exitCode = command === undefined || command === 'help' || command === '--help' ? 0 : 1;
}

async function runBootstrap(args: string[]): Promise<void> {
  const values = readArguments(args);
  const email = values.email?.trim().toLowerCase() ?? '';
  const projectName = values.project?.trim() ?? '';
  const problems = [
    ...(EMAIL.test(email) ? [] : ['--email must be an e-mail address']),
    ...(projectName.length >= 1 && projectName.length <= 120
      ? []
      : ['--project must have 1 to 120 characters']),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const config = readConfig(process.env);
  const result = await withDatabase(config, (database) =>
    bootstrap(database, { email, projectName, baseUrl: config.baseUrl, plans: planSettings(config) }),
  );
  const lines = Object.entries(result).map(([name, value]) => `${name}: ${value}`);
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`);
}

function readArguments(args: string[]): { email?: string; project?: string; json: boolean } {
  try {
    return parseArgs({
      args,
      options: {
        email: { type: 'string' },
        project: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Uses the configured or the running database, else starts the embedded one for the length of the command. */
async function withDatabase<Result>(
  config: Config,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const log = createLogger({ level: 'warn', role: 'admin', toStandardError: true });
  const { url, stop } =
    config.databaseUrl === null
      ? await embeddedDatabase(config.dataDir, log)
      : { url: config.databaseUrl.reveal(), stop: async () => {} };
  try {
    // Also beside a server: at its first start it may not have come this far yet, and waits for us or we for it.
    await prepareDatabase(url, { isVouchedFor: config.isDatabaseDurabilityVouched, log });
    const database = openDatabase({
      url,
      connectionsMax: 1,
      connectTimeoutMs: 10_000,
      applicationName: 'culprit-admin',
    });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  } finally {
    await stop();
  }
}

/** The database of the running server, also of one that is just starting, else one of our own. */
async function embeddedDatabase(
  dataDir: string,
  log: Logger,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const giveUpAt = performance.now() + SERVER_START_TIMEOUT_MS;
  for (;;) {
    const url = runningEmbeddedPostgresUrl(dataDir);
    if (url !== null) return { url, stop: async () => {} };
    try {
      return await startEmbeddedPostgres({
        dataDir,
        log: (level, message, fields) => log[level](fields ?? {}, message),
      });
    } catch (error) {
      const isLocked = error instanceof EmbeddedPostgresError && error.code === 'data_directory_locked';
      if (!isLocked || performance.now() > giveUpAt) throw error;
    }
    await delay(SERVER_START_POLL_MS);
  }
}
