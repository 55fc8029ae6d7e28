import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, DatabaseUnavailableError, openDatabase } from '../../src/platform/db/database.ts';
import { migrate, pendingMigrations, readMigrations } from '../../src/platform/db/migrate.ts';
import { MIGRATIONS_FOLDER } from '../../src/roles/migrations-folder.ts';
import { startTestPostgres, type TestPostgres } from '../support/test-postgres.ts';

let postgres: TestPostgres;
let url: string;
let database: Database;

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  database = open(url);
  await database.script('create table notes (id integer primary key, text text not null)');
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
});

describe('a transaction', () => {
  it('is no success when a failed statement in it was overlooked', async () => {
    const work = database.transaction(async (transaction) => {
      await transaction.query(insert(1));
      await transaction.query(insert(1)).catch(() => {});
    });
    await expect(work).rejects.toThrow('nothing was committed');
    expect(await readIds()).toEqual([]);
  });

  it('is rolled back when its work throws', async () => {
    const work = database.transaction(async (transaction) => {
      await transaction.query(insert(2));
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await readIds()).toEqual([]);
  });

  it('that deadlocks with another runs again', async () => {
    await database.script('insert into notes values (10, 0), (11, 0)');
    let arrived = 0;
    let bothHoldOne: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      bothHoldOne = resolve;
    });
    async function lockBoth(first: number, second: number): Promise<void> {
      await database.transaction(async (transaction) => {
        await transaction.query(lock(first));
        arrived += 1;
        if (arrived === 2) bothHoldOne();
        await held;
        await transaction.query(lock(second));
        await transaction.query({
          name: '',
          text: `update notes set text = text::integer + 1 where id = ${first}`,
        });
      });
    }
    await Promise.all([lockBoth(10, 11), lockBoth(11, 10)]);
    const rows = await database.query<{ text: string }>({
      name: 'test-texts',
      text: 'select text from notes where id in (10, 11)',
    });
    expect(rows).toEqual([{ text: '1' }, { text: '1' }]);
    // Both had taken one row, so one of them was sent back to the start.
    expect(arrived).toBeGreaterThan(2);
    await database.script('delete from notes');
  });

  it('refuses statements that would run beside it', async () => {
    const work = database.transaction(() => database.query(insert(3)));
    await expect(work).rejects.toThrow('outside the transaction');
  });
});

describe('a database that cannot be used', () => {
  it.each([
    ['nobody listens', () => Promise.resolve('postgres://me:pw@127.0.0.1:1/culprit')],
    ['its socket is not there', () => Promise.resolve('postgres:///culprit?host=/nowhere/at/all')],
  ])('is told apart from a bug when %s', async (_reason, address) => {
    const unreachable = open(await address());
    await expect(unreachable.query({ name: '', text: 'select 1' })).rejects.toThrow(DatabaseUnavailableError);
    await expect(unreachable.transaction(async () => {})).rejects.toThrow(DatabaseUnavailableError);
    await unreachable.close();
  });

  it('is told apart from a bug when it never answers', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const hanging = open(`postgres://me:pw@127.0.0.1:${port}/culprit`);
    await expect(hanging.query({ name: '', text: 'select 1' })).rejects.toThrow(DatabaseUnavailableError);
    await hanging.close();
    silent.close();
  });

  it('is told apart from a bug when a statement takes too long, in a transaction as well', async () => {
    const impatient = openDatabase({
      url,
      connectionsMax: 1,
      statementTimeoutMs: 100,
      applicationName: 'test',
    });
    const sleep = { name: '', text: 'select pg_sleep(20)' };
    await expect(impatient.query(sleep)).rejects.toThrow(DatabaseUnavailableError);
    await expect(impatient.transaction((transaction) => transaction.query(sleep))).rejects.toThrow(
      DatabaseUnavailableError,
    );
    // The connection that hangs is not given to the next one.
    expect(await impatient.query({ name: '', text: 'select 1 as one' })).toEqual([{ one: 1 }]);
    await impatient.close();
  });
});

describe('migrations', () => {
  it('of several processes that start at once are applied once each', async () => {
    const fresh = await postgres.createDatabase();
    const processes = Array.from({ length: 12 }, () => open(fresh));
    const migrations = await readMigrations(MIGRATIONS_FOLDER);
    await Promise.all(processes.map((each) => each.query({ name: '', text: 'select 1' })));
    const applied = await Promise.all(processes.map((each) => migrate(each, migrations)));
    expect(applied.flat().sort()).toEqual(migrations.map((migration) => migration.name));
    expect(await pendingMigrations(processes[0] ?? database, migrations)).toEqual([]);
    await Promise.all(processes.map((each) => each.close()));
  });

  it('that were changed after they had been applied are refused', async () => {
    const fresh = open(await postgres.createDatabase());
    const migration = { name: '0001_first.sql', text: 'select 1;', checksum: 'a' };
    expect(await migrate(fresh, [migration])).toEqual(['0001_first.sql']);
    expect(await migrate(fresh, [migration])).toEqual([]);
    await expect(migrate(fresh, [{ ...migration, checksum: 'b' }])).rejects.toThrow('was changed');
    await fresh.close();
  });
});

function open(address: string): Database {
  return openDatabase({ url: address, connectionsMax: 3, applicationName: 'culprit-test' });
}

function insert(id: number) {
  return { name: '', text: `insert into notes values (${id}, 'x')` };
}

function lock(id: number) {
  return { name: '', text: `select from notes where id = ${id} for update` };
}

async function readIds(): Promise<number[]> {
  const rows = await database.query<{ id: number }>({
    name: 'test-ids',
    text: 'select id from notes order by id',
  });
  return rows.map((row) => row.id);
}
