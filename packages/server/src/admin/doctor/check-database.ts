import { countDeadLetters } from '../../incidents/dead-letters.queries.ts';
import type { Database } from '../../platform/db/database.ts';
import { missingDurability } from '../../platform/db/durability.ts';
import { type Migration, newerMigrations, pendingMigrations } from '../../platform/db/migrate.ts';
import { assertServerVersion } from '../../platform/db/server-version.ts';
import {
  readDatabaseClockMs,
  readDeliveries,
  readDiskUse,
  readOldestTransaction,
  readQueue,
} from './doctor.queries.ts';
import { bytesText, durationText, type Finding, failureText, ok, warning, wrong } from './finding.ts';

const CLOCK_DIFFERENCE_MAX_MS = 5000;
const JOB_AGE_MAX_SECONDS = 60;
const TRANSACTION_AGE_MAX_SECONDS = 60;

export interface DatabaseLook {
  database: Database;
  /** Of this release. */
  migrations: readonly Migration[];
  isVouchedFor: boolean;
  /** False where it is known that nothing works on it: jobs wait then for the next start. */
  isServerExpected: boolean;
}

/** Everything that the database itself tells. A database that cannot be reached is one finding. */
export async function checkDatabase(look: DatabaseLook): Promise<Finding[]> {
  const { database, migrations } = look;
  try {
    await assertServerVersion(database);
  } catch (error) {
    return [
      wrong(
        'database',
        `cannot be used: ${failureText(error)}`,
        'check that PostgreSQL runs, and the address, user and password in CULPRIT_DATABASE_URL',
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
      warning('schema', 'the database has no tables yet', 'nothing: the next start makes them'),
    ];
  }
  findings.push(...(await checkSchema(look, pending)));
  if (pending.length > 0) return findings;
  return [
    ...findings,
    await checkQueue(look),
    await checkDeadLetters(database),
    await checkTransactions(database),
    ...(await checkDeliveries(database)),
    ...(await checkDiskUse(database)),
  ];
}

async function checkDurability({ database, isVouchedFor }: DatabaseLook): Promise<Finding> {
  const missing = await missingDurability(database);
  if (missing.length === 0) return ok('durability', 'what is committed survives a crash');
  const what = `the database runs with ${missing.join(', ')} off`;
  return isVouchedFor
    ? warning('durability', `${what}, and you vouch for it`, 'nothing, if it is durable by other means')
    : wrong('durability', what, 'switch it on in PostgreSQL; the server does not start without');
}

async function checkClock(database: Database): Promise<Finding> {
  const beforeMs = Date.now();
  const databaseMs = await readDatabaseClockMs(database);
  const afterMs = Date.now();
  const differenceMs = Math.max(0, beforeMs - databaseMs, databaseMs - afterMs);
  if (differenceMs <= CLOCK_DIFFERENCE_MAX_MS) return ok('clock', 'is that of the database');
  return wrong(
    'clock',
    `differs from that of the database by ${durationText(differenceMs / 1000)}`,
    'let both machines set their clocks by NTP',
  );
}

async function checkSchema({ database, migrations }: DatabaseLook, pending: string[]): Promise<Finding[]> {
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

async function checkQueue({ database, isServerExpected }: DatabaseLook): Promise<Finding> {
  const [oldest] = await readQueue(database);
  if (oldest === undefined || oldest.oldest_seconds < JOB_AGE_MAX_SECONDS)
    return ok('queue', 'nothing waits long');
  const what = `${oldest.waiting} jobs of ${oldest.lane} wait, the oldest for ${durationText(oldest.oldest_seconds)}`;
  return isServerExpected
    ? wrong(
        'queue',
        what,
        'check that a worker runs and look into its log; add workers or CULPRIT_WORKER_THREADS if it is busy',
      )
    : warning('queue', what, 'start the server, which does them');
}

async function checkDeadLetters(database: Database): Promise<Finding> {
  const letters = await countDeadLetters(database, { deadLetterId: null, projectId: null });
  if (letters === 0) return ok('dead letters', 'none');
  return wrong(
    'dead letters',
    `${letters} events could not be processed`,
    'see why with `npm run -s admin -- dead-letters list`, then `dead-letters retry --all`',
  );
}

async function checkTransactions(database: Database): Promise<Finding> {
  const oldest = await readOldestTransaction(database);
  if (oldest === null || oldest.seconds < TRANSACTION_AGE_MAX_SECONDS)
    return ok('transactions', 'none is old');
  return wrong(
    'transactions',
    `one of ${oldest.application_name || 'an unnamed client'} is open for ${durationText(oldest.seconds)}`,
    'end that session: it keeps the database from removing what is dead',
  );
}

async function checkDeliveries(database: Database): Promise<Finding[]> {
  const { failing_webhooks, failed_deliveries, failed_alerts } = await readDeliveries(database);
  const findings: Finding[] = [];
  if (failing_webhooks > 0 || failed_deliveries > 0) {
    findings.push(
      wrong(
        'webhooks',
        `${failing_webhooks} receivers fail, ${failed_deliveries} deliveries were given up in the last day`,
        'their projects see the reasons in the list of deliveries; check that receivers can be reached from here',
      ),
    );
  }
  if (failed_alerts > 0) {
    findings.push(
      wrong(
        'alerts',
        `${failed_alerts} messages were given up in the last day`,
        'their projects see the reasons in the list of deliveries; check mail server and chat addresses',
      ),
    );
  }
  return findings.length > 0 ? findings : [ok('deliveries', 'none was given up in the last day')];
}

async function checkDiskUse(database: Database): Promise<Finding[]> {
  const use = await readDiskUse(database);
  if (use === null) return [];
  const days = `${use.event_days} days of events ${bytesText(use.event_bytes)}`;
  const largest =
    use.largest_day === null
      ? ''
      : `, the largest ${use.largest_day} with ${bytesText(use.largest_day_bytes)}`;
  return [ok('disk use', `the database takes ${bytesText(use.database_bytes)}, of it ${days}${largest}`)];
}
