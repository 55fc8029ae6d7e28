// Proves 31.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrayLiteral } from '../../src/platform/db/array-literal.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { parseId } from '../../src/platform/ids.ts';
import { TABLES } from '../../src/roles/tables.ts';
import { incidentTables } from '../../src/upkeep/purge/purge.queries.ts';
import { DAY, HOUR, MINUTE, named } from '../conformance/incidents-fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { moveClock } from '../support/move-clock.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { acknowledgement, sendEvents, sendRequest } from '../support/send-events.ts';
import { createRealService, type RealService } from './real-service.ts';

/**
 * docs/contract/reliability.md test 31: the program as an operator runs it removes old data, and a deleted project,
 * while its workers and its database are killed in between. Afterwards exactly that is gone.
 */

const SEED = chooseSeed();
const KILLS = Number(process.env.CULPRIT_TEST_KILLS ?? 6);
const OLD = names('Old', 24);
/** Seen again while they were not old yet. */
const REVIVED = OLD.slice(0, 4);
const FRESH = names('Fresh', 6);
const COUNTED = ['incidents', 'bundles', 'events', 'batches', 'lifecycle_events', 'object_tombstones'];

interface Tenant {
  projectId: string;
  projectToken: string;
  memberToken: string;
}

describe(`retention and the deletion of a project, ${KILLS} kills (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  let service: RealService;
  beforeAll(async () => {
    process.env.CULPRIT_RETENTION_RAW_DAYS = '5';
    process.env.CULPRIT_RETENTION_INCIDENT_DAYS = '5';
    service = await createRealService();
    await service.start();
  }, 90_000);
  afterAll(() => service.remove());

  it('leaves nothing that must go and takes nothing that must stay', {
    timeout: 120_000 + KILLS * 15_000,
  }, async () => {
    const kept = await service.bootstrap('kept');
    const doomed = await service.bootstrap('doomed');
    for (const tenant of [kept, doomed]) await sendEach(tenant, OLD);
    await onDatabase(async (database) => {
      await worked(database);
      await moveClock(database, 4.8 * DAY);
    });
    await sendEach(kept, [...REVIVED, ...FRESH]);
    await onDatabase(worked);
    const live = await listed(kept);
    const survivors = live.filter(({ title }) => [...REVIVED, ...FRESH].some((name) => title.includes(name)));
    expect([live.length, survivors.length]).toEqual([
      OLD.length + FRESH.length,
      REVIVED.length + FRESH.length,
    ]);

    expect(await remove(doomed)).toBe(200);
    let clockMs = 5.2 * DAY;
    await onDatabase(slowDownDeletes);
    for (let kill = 0; kill < KILLS; kill += 1) {
      // With it end the leases of those who were killed before.
      await onDatabase((database) => moveClock(database, clockMs));
      // Every other kill meets retention, the rest whatever removes something: the deleted project is gone at some
      // point. Each step of retention dies in `dies-at-any-step.standard.test.ts`.
      const lanes = kill % 2 === 0 ? ['retention'] : ['retention', 'cleanup'];
      await onDatabase((database) => assertAtWork(database, lanes));
      await delay(random.integer(0, 250));
      const part = random.pick(['worker', 'worker', 'postgres'] as const);
      await eventually(() => {
        if (!service.kill(part)) throw new Error(`${part} does not come back`);
      });
      clockMs += HOUR + 2 * MINUTE;
    }
    // Looks in peace: what the last one marked for deletion goes with the next, what became part of a merged object in three days.
    for (const waitMs of [HOUR, HOUR, 3 * DAY, HOUR]) {
      clockMs += waitMs + 5 * MINUTE;
      await onDatabase((database) => moveClock(database, clockMs));
      await eventually(() => onDatabase(assertCleaned), 60_000);
    }

    expect(await remainders(doomed)).toEqual({ rows: {}, files: [] });
    expect((await listed(kept)).map(({ incident_id }) => incident_id).sort()).toEqual(
      survivors.map(({ incident_id }) => incident_id).sort(),
    );
    for (const { incident_id } of survivors) await assertWhole(kept, incident_id);
    const { rows, files } = await remainders(kept);
    expect(rows).toMatchObject({ incidents: survivors.length, bundles: survivors.length });
    expect(rows.batches).toBe(REVIVED.length + FRESH.length);
    expect([rows.object_tombstones, rows.incident_tombstones]).toEqual([undefined, undefined]);
    expect(files).toEqual(await onDatabase((database) => namedObjects(database, kept)));
    expect(files.filter((file) => file.startsWith('raw/')).length).toBeLessThanOrEqual(2);
    expect(await onDatabase(danglingRows)).toEqual(0);
  });

  async function sendEach(tenant: Tenant, errors: readonly string[]): Promise<void> {
    for (const error of errors) {
      const answer = await sendEvents(service.url, tenant.projectToken, [named(error)]);
      expect(acknowledgement(answer).accepted).toBe(1);
    }
  }

  async function get(tenant: Tenant, path: string) {
    return await sendRequest(service.url + path, { method: 'GET', token: tenant.memberToken });
  }

  async function remove(tenant: Tenant): Promise<number> {
    const path = `/v1/projects/${tenant.projectId}`;
    const { status } = await sendRequest(service.url + path, { method: 'DELETE', token: tenant.memberToken });
    return status;
  }

  async function listed(tenant: Tenant): Promise<{ incident_id: string; title: string }[]> {
    const { body } = await eventually(async () => {
      const answer = await get(tenant, `/v1/incidents?project_id=${tenant.projectId}&limit=100`);
      if (answer.status !== 200) throw new Error(`the list answered ${answer.status}`);
      return answer;
    });
    return Object(body).incidents;
  }

  async function assertWhole(tenant: Tenant, incidentId: string): Promise<void> {
    const bundle = await get(tenant, `/v1/incidents/${incidentId}/bundle`);
    expect(bundle).toMatchObject({ status: 200, body: { context: { error: { name: expect.any(String) } } } });
    const logs = await get(tenant, `/v1/incidents/${incidentId}/logs`);
    expect(Object(logs.body).logs[0]).toMatchObject({ is_sampled: true });
  }

  /** What is left of a project: rows by table, and files. */
  async function remainders(tenant: Tenant): Promise<{ rows: Record<string, number>; files: string[] }> {
    const id = parseId(['proj'], tenant.projectId) ?? '';
    const rows: Record<string, number> = {};
    await onDatabase(async (database) => {
      for (const table of [...COUNTED, 'incident_tombstones', 'projects', 'jobs', 'services', 'event_ids']) {
        const [row] = await database.query<{ count: number }>(
          {
            name: `test-left-${table}`,
            text: `select count(*) as count from ${table} where project_id = $1`,
          },
          [id],
        );
        if (row !== undefined && row.count > 0) rows[table] = row.count;
      }
    });
    const objects = join(service.dataDir, 'objects');
    const entries = await readdir(objects, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(objects.length + 1))
      .filter((path) => path.includes(id));
    return { rows, files: files.sort() };
  }

  /** The database may just be coming back. */
  async function onDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    return await eventually(async () => {
      const url = await service.databaseUrl();
      const database = openDatabase({ url, connectionsMax: 1, applicationName: 'test-retention' });
      try {
        return await work(database);
      } finally {
        await database.close();
      }
    });
  }
});

function names(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${word}${String.fromCharCode(65 + n)}`);
}

async function worked(database: Database): Promise<void> {
  await eventually(async () => {
    const [row] = await database.query<{ jobs: number }>({
      name: 'test-jobs',
      text: 'select count(*) as jobs from jobs',
    });
    if (row?.jobs !== 0) throw new Error(`${row?.jobs} jobs are left`);
  }, 60_000);
}

/** A job of one of the lanes removes something at this moment. */
async function assertAtWork(database: Database, lanes: readonly string[]): Promise<void> {
  const rows = await database.query(
    {
      name: 'test-at-work',
      text: 'select from jobs where lane = any ($1::text[]) and leased_until > culprit_now() limit 1',
    },
    [arrayLiteral(lanes)],
  );
  if (rows.length === 0) throw new Error(`nobody is at work in ${lanes.join(' or ')}`);
}

async function assertCleaned(database: Database): Promise<void> {
  const [row] = await database.query<{ due: number; jobs: number }>({
    name: 'test-cleaned',
    text: `select (select count(*) from projects where retention_due_at <= culprit_now()) as due,
      (select count(*) from jobs where lane in ('retention', 'cleanup')) as jobs`,
  });
  if (row?.due !== 0 || row.jobs !== 0) throw new Error(`${row?.due} are due, ${row?.jobs} under way`);
}

async function namedObjects(database: Database, tenant: Tenant): Promise<string[]> {
  const rows = await database.query<{ object_key: string }>(
    {
      name: 'test-named-objects',
      text: `select object_key from batches where project_id = $1
        union select object_key from bundles where project_id = $1`,
    },
    [parseId(['proj'], tenant.projectId) ?? ''],
  );
  return rows.map((row) => row.object_key).sort();
}

/** Rows that hang on an incident which is gone. */
async function danglingRows(database: Database): Promise<number> {
  const tables = [...incidentTables(TABLES), 'events'];
  let dangling = 0;
  for (const table of tables) {
    const [row] = await database.query<{ count: number }>({
      name: `test-dangling-${table}`,
      text: `select count(*) as count from ${table} t where incident_id is not null
        and not exists (select from incidents i where i.incident_id = t.incident_id)`,
    });
    dangling += row?.count ?? 0;
  }
  return dangling;
}

/** So that a kill meets the middle of the work, on whatever machine. */
async function slowDownDeletes(database: Database): Promise<void> {
  const tables = [...COUNTED, 'incident_samples', 'services', 'incident_tombstones'];
  await database.script(`
    create or replace function slow_delete() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.05); return null; end $$;
    ${tables
      .map(
        (table) => `create or replace trigger slow_delete before delete on ${table}
          for each statement execute function slow_delete();`,
      )
      .join('\n')}`);
}
