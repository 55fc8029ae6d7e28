import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { LEASE_SECONDS } from '../../src/platform/jobs/job-queue.ts';
import { eventually } from '../support/eventually.ts';
import { moveClock } from '../support/move-clock.ts';
import { findLeftOverWork } from './left-over-work.ts';
import type { RealService } from './real-service.ts';

/** Leases of the dead, waits of retries and of refreshes: more jumps than any of them take. */
const JUMPS_MAX = 20;
const JUMP_MS = (LEASE_SECONDS + 10) * 1000;
const DUE_TIMEOUT_MS = 60_000;

/**
 * Waits until the workers of a service have nothing left to do, moving its clock over the waits. Looks are all that is
 * left to the caller, who closes the database. Gives up without an error, so that the verdict says what is stuck.
 * @param clock how far ahead it is already, and how it is moved where more than the database has one
 */
export async function settleWork(
  service: Pick<RealService, 'url' | 'databaseUrl'>,
  projectIds: readonly string[],
  clock: { offsetMs: number; jumpTo?: (offsetMs: number) => Promise<void> } = { offsetMs: 0 },
): Promise<Database> {
  await eventually(async () => {
    const { status } = await fetch(`${service.url}/ready`);
    if (status !== 200) throw new Error(`not ready: ${status}`);
  });
  const database = openDatabase({
    url: await service.databaseUrl(),
    connectionsMax: 2,
    connectTimeoutMs: 10_000,
    applicationName: 'test-settle',
  });
  const { jumpTo = (offsetMs: number) => moveClock(database, offsetMs) } = clock;
  for (let jump = 1; jump <= JUMPS_MAX; jump += 1) {
    await eventually(() => assertNothingDue(database), DUE_TIMEOUT_MS).catch(() => {});
    if (Object.keys(await findLeftOverWork(database, projectIds)).length === 0) break;
    await jumpTo(clock.offsetMs + jump * JUMP_MS);
  }
  return database;
}

async function assertNothingDue(database: Database): Promise<void> {
  const [row] = await database.query<{ due: number }>({
    name: 'test-due',
    text: `select count(*) as due from jobs
      where run_at <= culprit_now() and (leased_until is null or leased_until < culprit_now())`,
  });
  if (row?.due !== 0) throw new Error(`${row?.due} jobs are due`);
}
