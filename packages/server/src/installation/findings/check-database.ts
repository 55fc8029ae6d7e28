import type { Database } from '../../platform/db/database.ts';
import { missingDurability } from '../../platform/db/durability.ts';
import {
  FOREIGN_SCHEMA_TODO,
  isForeignSchema,
  type Migration,
  newerMigrations,
  pendingMigrations,
} from '../../platform/db/migrate.ts';
import { assertServerVersion } from '../../platform/db/server-version.ts';
import { findFirstOwner } from '../../workspace/accounts/operators.ts';
import { bytesText, durationText, type Finding, failureText, ok, warning, wrong } from './finding.ts';
import {
  readCanary,
  readDatabaseClockMs,
  readDeadLetters,
  readDeliveries,
  readDiskUse,
  readLastBackup,
  readOldestTransaction,
  readQueue,
  readUnreadable,
} from './findings.queries.ts';
import type { InstallationSettings } from './inspect-installation.ts';

const CLOCK_DIFFERENCE_MAX_MS = 5000;
const JOB_AGE_MAX_SECONDS = 60;
const UNREADABLE_ATTEMPTS_MIN = 4;
const TRANSACTION_AGE_MAX_SECONDS = 60;
const CANARY_AGE_MAX_SECONDS = 300;
const BACKUP_AGE_MAX_SECONDS = 8 * 86_400;

interface DatabaseInspection {
  database: Database;
  /** The migrations of this release. */
  migrations: readonly Migration[];
  settings: Pick<
    InstallationSettings,
    'databaseUrl' | 'isDatabaseDurabilityVouched' | 'isCanaryOn' | 'isBaseUrlLoopback' | 'operators'
  >;
  /** False where it is known that nothing works on it: jobs wait then for the next start. */
  isServerExpected: boolean;
}

/** Returns the remedy for a database that cannot be used. */
export function databaseTodo(isExternal: boolean): string {
  return isExternal
    ? 'check that PostgreSQL runs, and the address, user and password in CULPRIT_DATABASE_URL'
    : 'check the log of the server for the embedded database';
}

/** Returns all findings from the database itself. A database that cannot be reached is one finding. */
export async function checkDatabase(look: DatabaseInspection): Promise<Finding[]> {
  const { database, migrations } = look;
  try {
    await assertServerVersion(database);
  } catch (error) {
    return [
      wrong(
        'database',
        `cannot be used: ${failureText(error)}`,
        databaseTodo(look.settings.databaseUrl !== null),
      ),
    ];
  }
  const findings = [
    ok('database', 'can be reached'),
    await checkDurability(look),
    await checkClock(database),
  ];
  const pending = await pendingMigrations(database, migrations).catch(() => null);
  if (pending === null) {
    return [
      ...findings,
      warning('schema', 'the database has no tables yet', 'nothing: the next start creates them'),
    ];
  }
  findings.push(...(await checkSchema(look, pending)));
  if (pending.length > 0) return findings;
  return [
    ...findings,
    await checkQueue(look),
    ...(await checkUnreadable(database)),
    await checkDeadLetters(database),
    await checkTransactions(database),
    ...(await checkDeliveries(database)),
    ...(await checkCanary(look)),
    await checkBackup(look),
    ...(await checkOperator(look)),
    ...(await checkDiskUse(database)),
  ];
}

async function checkDurability({ database, settings }: DatabaseInspection): Promise<Finding> {
  const missing = await missingDurability(database);
  if (missing.length === 0) return ok('durability', 'committed data survives a crash');
  const what = `the database runs with ${missing.join(', ')} off`;
  return settings.isDatabaseDurabilityVouched
    ? warning(
        'durability',
        `${what}, and CULPRIT_DATABASE_DURABILITY_VOUCHED accepts that`,
        'nothing, if it is durable by other means',
      )
    : wrong('durability', what, 'enable it in PostgreSQL; the server does not start otherwise');
}

async function checkClock(database: Database): Promise<Finding> {
  const beforeMs = Date.now();
  const databaseMs = await readDatabaseClockMs(database);
  const afterMs = Date.now();
  const differenceMs = Math.max(0, beforeMs - databaseMs, databaseMs - afterMs);
  if (differenceMs <= CLOCK_DIFFERENCE_MAX_MS) return ok('clock', 'agrees with that of the database');
  return wrong(
    'clock',
    `differs from that of the database by ${durationText(differenceMs / 1000)}`,
    'synchronize the clocks of both machines with NTP',
  );
}

async function checkSchema(
  { database, migrations }: DatabaseInspection,
  pending: string[],
): Promise<Finding[]> {
  const [first] = migrations;
  if (first !== undefined && (await isForeignSchema(database, first)))
    return [wrong('schema', `is from before ${first.name}`, FOREIGN_SCHEMA_TODO)];
  const newer = await newerMigrations(database, migrations);
  const findings: Finding[] = [];
  if (pending.length > 0) {
    findings.push(
      wrong(
        'schema',
        `${pending.length} migrations are not applied, the first is ${pending[0]}`,
        'make a backup and start this release, which applies them',
      ),
    );
  }
  if (newer.length > 0) {
    findings.push(
      warning(
        'schema',
        `is that of a newer release (${newer.at(-1)?.name})`,
        'start that release again when you can',
      ),
    );
  }
  return findings.length > 0 ? findings : [ok('schema', 'is up to date')];
}

async function checkQueue({ database, isServerExpected }: DatabaseInspection): Promise<Finding> {
  const [oldest] = await readQueue(database);
  if (oldest === undefined || oldest.oldest_seconds < JOB_AGE_MAX_SECONDS)
    return ok('queue', 'no jobs are late');
  const what = `${oldest.waiting} jobs of ${oldest.lane} wait, the oldest for ${durationText(oldest.oldest_seconds)}`;
  const sinceMs = Date.now() - oldest.oldest_seconds * 1000;
  return isServerExpected
    ? wrong(
        'queue',
        what,
        'check that a worker runs, and check its log; add workers or CULPRIT_WORKER_THREADS if it is busy',
        { sinceMs },
      )
    : warning('queue', what, 'start the server, which runs them', { sinceMs, command: 'npm start' });
}

/** They are tried every few seconds, so that none of them is ever due for long. */
async function checkUnreadable(database: Database): Promise<Finding[]> {
  const { batches, error } = await readUnreadable(database, UNREADABLE_ATTEMPTS_MIN);
  if (error === null) return [];
  return [
    wrong(
      'stored events',
      `${batches} batches of accepted events cannot be read: ${error}`,
      'make the objects readable for the user of the server; events of removed objects become dead letters',
    ),
  ];
}

async function checkDeadLetters(database: Database): Promise<Finding> {
  const { letters, oldest_at } = await readDeadLetters(database);
  if (letters === 0) return ok('dead letters', 'none');
  return wrong(
    'dead letters',
    `${letters} events could not be processed`,
    'see why with `npm run -s admin -- dead-letters list`, then `dead-letters retry --all`',
    { sinceMs: oldest_at, command: 'npm run -s admin -- dead-letters list' },
  );
}

async function checkTransactions(database: Database): Promise<Finding> {
  const oldest = await readOldestTransaction(database);
  if (oldest === null || oldest.seconds < TRANSACTION_AGE_MAX_SECONDS)
    return ok('transactions', 'none is old');
  return wrong(
    'transactions',
    `one of ${oldest.application_name || 'an unnamed client'} is open for ${durationText(oldest.seconds)}`,
    'end that session: it keeps the database from removing dead rows',
    { sinceMs: Date.now() - oldest.seconds * 1000 },
  );
}

/** Checks that the event that is sent every minute arrives. */
async function checkCanary({ database, settings, isServerExpected }: DatabaseInspection): Promise<Finding[]> {
  if (!settings.isCanaryOn) return [];
  const { missing, failing_since, seconds } = await readCanary(database);
  if (seconds === null) return [ok('canary', 'has not been sent yet')];
  if (missing !== null) {
    const what =
      missing === 'intake'
        ? 'its last event was not accepted'
        : `its last event was accepted, but its ${missing} did not come in time`;
    const todo = 'check the logs of the API and the worker at that time';
    return [wrong('canary', what, todo, { sinceMs: failing_since })];
  }
  if (isServerExpected && seconds > CANARY_AGE_MAX_SECONDS) {
    return [
      wrong('canary', `none was sent for ${durationText(seconds)}`, 'check that an API process runs', {
        sinceMs: Date.now() - seconds * 1000,
      }),
    ];
  }
  return [ok('canary', 'its last event arrived')];
}

/** Checks that an account sees these findings in the dashboard, if no setting names one. */
async function checkOperator({ database, settings }: DatabaseInspection): Promise<Finding[]> {
  if (settings.operators !== null || settings.databaseUrl !== null) return [];
  const email = await findFirstOwner(database);
  if (email === undefined) return [ok('operator', 'the first account created here')];
  const isForTests = email?.endsWith('.test') === true && !settings.isBaseUrlLoopback;
  if (email !== null && !isForTests) return [ok('operator', email)];
  return [
    warning(
      'operator',
      isForTests
        ? `there is none, because the first owner has an address for tests, ${email}`
        : 'there is none, because the account of the first owner was deleted',
      'choose an account, with this command or the setting CULPRIT_OPERATORS',
      { command: 'npm run -s admin -- operator set --email ADDRESS' },
    ),
  ];
}

/** Checks that there is a backup that would help. */
async function checkBackup({ database, settings }: DatabaseInspection): Promise<Finding> {
  const backup = await readLastBackup(database);
  const command = 'npm run -s admin -- backup --to DIRECTORY';
  const otherwise = 'or nothing, if database, objects and data key are copied by other means';
  if (backup === null) {
    return settings.isBaseUrlLoopback
      ? ok('backup', 'this database has none')
      : warning('backup', 'this database has none', `create one, ${otherwise}`, { command });
  }
  if (backup.missing_objects > 0) {
    return warning(
      'backup',
      `the last one lacks ${backup.missing_objects} objects`,
      'retention may have removed a few; otherwise check the object store and create another',
      { sinceMs: backup.finished_at, command },
    );
  }
  if (backup.age_seconds > BACKUP_AGE_MAX_SECONDS) {
    return warning(
      'backup',
      `the last one is ${Math.floor(backup.age_seconds / 86_400)} days old`,
      `create another, ${otherwise}`,
      { sinceMs: backup.finished_at, command },
    );
  }
  return ok('backup', `the last one is complete and ${durationText(backup.age_seconds)} old`);
}

async function checkDeliveries(database: Database): Promise<Finding[]> {
  const { failing_webhooks, failed_deliveries, failed_alerts } = await readDeliveries(database);
  const findings: Finding[] = [];
  if (failing_webhooks > 0 || failed_deliveries > 0) {
    findings.push(
      wrong(
        'webhooks',
        `${failing_webhooks} receivers fail, ${failed_deliveries} deliveries failed permanently in the last day`,
        'their projects see the reasons in the list of deliveries; check that receivers can be reached from here',
      ),
    );
  }
  if (failed_alerts > 0) {
    findings.push(
      wrong(
        'alerts',
        `${failed_alerts} messages failed permanently in the last day`,
        'their projects see the reasons in the list of deliveries; check mail server and chat addresses',
      ),
    );
  }
  return findings.length > 0 ? findings : [ok('deliveries', 'none failed permanently in the last day')];
}

async function checkDiskUse(database: Database): Promise<Finding[]> {
  const use = await readDiskUse(database);
  if (use === null) return [];
  const days = `${use.event_days} ${use.event_days === 1 ? 'day' : 'days'} of events ${bytesText(use.event_bytes)}`;
  const largest =
    use.largest_day === null
      ? ''
      : `, the largest ${use.largest_day} with ${bytesText(use.largest_day_bytes)}`;
  return [ok('disk use', `the database uses ${bytesText(use.database_bytes)}, including ${days}${largest}`)];
}
