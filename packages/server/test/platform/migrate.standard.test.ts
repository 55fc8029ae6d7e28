// Proves 30.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, DatabaseUnavailableError, openDatabase } from '../../src/platform/db/database.ts';
import {
  type Migration,
  MigrationError,
  migrate,
  newerMigrations,
  pendingMigrations,
  readMigrations,
} from '../../src/platform/db/migrate.ts';
import { createLogger } from '../../src/platform/log.ts';
import { MIGRATIONS_FOLDER } from '../../src/roles/migrations-folder.ts';
import { prepareDatabase } from '../../src/roles/prepare-database.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { startCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/incident-client.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startTestPostgres, type TestPostgres } from '../support/test-postgres.ts';

// Runs on the oldest PostgreSQL too.

/** Migrations on data that a service is working with (docs/contract/reliability.md A8). */

const opened: Database[] = [];
let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await postgres.stop();
});

/** Its text stands for its checksum. */
function migration(name: string, text: string, needs: string | null = null): Migration {
  return { name, text, checksum: text, needs };
}

function open(url: string): Database {
  const database = openDatabase({ url, connectionsMax: 3, applicationName: 'culprit-test' });
  opened.push(database);
  return database;
}

/** A database with one table, as an older release left it. */
async function withNotes(): Promise<{ url: string; database: Database; first: Migration }> {
  const url = await postgres.createDatabase();
  const database = open(url);
  const first = migration('0001_notes.sql', 'create table notes (id integer);');
  await migrate(database, [first]);
  return { url, database, first };
}

async function columns(database: Database): Promise<string[]> {
  const rows = await database.query<{ name: string }>({
    name: 'test-columns',
    text: `select attname as name from pg_attribute where attrelid = 'notes'::regclass and attnum > 0 order by attnum`,
  });
  return rows.map(({ name }) => name);
}

describe('migrations', () => {
  it('of several processes that start at once are applied once each', async () => {
    const url = await postgres.createDatabase();
    const processes = Array.from({ length: 12 }, () => open(url));
    const migrations = await readMigrations(MIGRATIONS_FOLDER);
    await Promise.all(processes.map((each) => each.query({ name: '', text: 'select 1' })));
    const applied = await Promise.all(processes.map((each) => migrate(each, migrations)));
    expect(applied.flat().sort()).toEqual(migrations.map(({ name }) => name));
    expect(await pendingMigrations(open(url), migrations)).toEqual([]);
  });

  it('that were changed after they had been applied are refused', async () => {
    const { database, first } = await withNotes();
    const second = migration('0002_more.sql', 'alter table notes add column more text;');
    expect(await migrate(database, [first, second])).toEqual([second.name]);
    expect(await migrate(database, [first, second])).toEqual([]);
    await expect(migrate(database, [first, { ...second, checksum: 'b' }])).rejects.toThrow('was changed');
  });

  it('do not touch a database with a schema that did not begin with the first of them, or with other text', async () => {
    const { database, first } = await withNotes();
    for (const other of [migration('0001_schema.sql', 'drop table notes;'), { ...first, checksum: 'b' }]) {
      const refused = migrate(database, [other]);
      await expect(refused).rejects.toThrow(MigrationError);
      await expect(refused).rejects.toThrow(
        `from before ${other.name}: create a backup of it with \`npm run -s admin -- backup --to DIRECTORY\`, and restore`,
      );
    }
    expect(await columns(database)).toEqual(['id']);
    expect(await migrate(database, [first])).toEqual([]);
  });

  it('whose process is killed in the middle leave nothing, and are applied by the next one', async () => {
    const { url, database, first } = await withNotes();
    await database.script('create table pauses ()');
    const second = migration(
      '0002_slow.sql',
      `alter table notes add column slow integer;
       do $$ begin if to_regclass('pauses') is not null then perform pg_sleep(60); end if; end $$;`,
    );
    const killed = migrate(open(url), [first, second]);
    killed.catch(() => {});
    await eventually(async () => {
      const rows = await database.query({
        name: 'test-kill',
        text: `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and state = 'active' and wait_event = 'PgSleep'`,
      });
      expect(rows).toHaveLength(1);
    });
    await expect(killed).rejects.toThrow(DatabaseUnavailableError);
    expect(await columns(database)).toEqual(['id']);
    await database.script('drop table pauses');
    expect(await migrate(database, [first, second])).toEqual(['0002_slow.sql']);
    expect(await columns(database)).toEqual(['id', 'slow']);
  });
});

describe('a migration that needs a lock somebody holds', () => {
  const second = migration('0002_text.sql', 'alter table notes add column text text;');

  async function whileRead<Result>(url: string, work: (holder: pg.Client) => Promise<Result>) {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    try {
      await holder.query('begin; select * from notes');
      return await work(holder);
    } finally {
      await holder.end();
    }
  }

  it('lets everybody else by again and again, and is applied when the lock is free', async () => {
    const { url, database, first } = await withNotes();
    await whileRead(url, async (holder) => {
      const stoodBack: number[] = [];
      const migrating = migrate(open(url), [first, second], {
        lockTimeoutMs: 50,
        lockPauseMs: 100,
        onLocked: (_name, attempt) => stoodBack.push(attempt),
      });
      await eventually(() => expect(stoodBack).toEqual([1, 2]));
      // Would wait behind the migration as long as that waits for its lock.
      await database.script('insert into notes values (1)');
      await holder.query('commit');
      expect(await migrating).toEqual(['0002_text.sql']);
    });
    expect(await columns(database)).toEqual(['id', 'text']);
  });

  it('waits for it no longer than a second at a time', async () => {
    const { url, database, first } = await withNotes();
    await whileRead(url, async () => {
      const migrating = migrate(open(url), [first, second], { lockPauseMs: 1, lockAttemptsMax: 2 });
      migrating.catch(() => {});
      await eventually(async () => {
        const waiting = await database.query({
          name: 'test-waiting',
          text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        });
        expect(waiting).toHaveLength(1);
      });
      // Behind the migration, and so as long as it.
      await database.query({ name: 'test-behind', text: 'select id from notes' });
      await expect(migrating).rejects.toThrow(MigrationError);
      await expect(migrating).rejects.toThrow('0002_text.sql cannot lock what it changes');
    });
    expect(await columns(database)).toEqual(['id']);
  });

  it('waits for another process that migrates as long as that takes', async () => {
    const { url, first } = await withNotes();
    const slow = migration('0002_slow.sql', 'select pg_sleep(0.5);');
    const stoodBack: string[] = [];
    const options = { lockTimeoutMs: 50, onLocked: (name: string) => stoodBack.push(name) };
    const applied = await Promise.all(
      [open(url), open(url)].map((each) => migrate(each, [first, slow], options)),
    );
    expect(applied.flat()).toEqual(['0002_slow.sql']);
    expect(stoodBack).toEqual([]);
  });
});

describe('a release whose database a newer one has migrated', () => {
  const added = migration('0002_added.sql', 'alter table notes add column text text;');
  const removed = migration('0003_removed.sql', 'alter table notes drop column id;', '0002_added.sql');

  it('goes on where the newer one only added something', async () => {
    const { database, first } = await withNotes();
    await migrate(database, [first, added]);
    expect(await migrate(database, [first])).toEqual([]);
    expect(await pendingMigrations(database, [first])).toEqual([]);
    expect(await newerMigrations(database, [first])).toEqual([{ name: '0002_added.sql', needs: null }]);
  });

  it('goes on where something was taken away that it does not use any more', async () => {
    const { database, first } = await withNotes();
    await migrate(database, [first, added, removed]);
    expect(await migrate(database, [first, added])).toEqual([]);
  });

  it('does not start where something was taken away that it may use', async () => {
    const { database, first } = await withNotes();
    await migrate(database, [first, added, removed]);
    const starting = migrate(database, [first]);
    await expect(starting).rejects.toThrow(MigrationError);
    await expect(starting).rejects.toThrow('too new for this one (0003_removed.sql)');
  });

  it('accepts and counts events', async () => {
    const databaseUrl = await createTestDatabase();
    const database = open(databaseUrl);
    const newest = migration(
      '9999_newest.sql',
      `alter table projects add column colour text not null default 'red';
       create table colours (colour text primary key);`,
    );
    await migrate(database, [...(await readMigrations(MIGRATIONS_FOLDER)), newest]);
    const log = createLogger({ level: 'silent', role: 'test' });
    await prepareDatabase(databaseUrl, { isVouchedFor: false, log });
    const culprit = await startCulprit({ databaseUrl });
    try {
      const client = await connect(culprit);
      await client.send(EX());
      await client.only();
    } finally {
      await culprit.stop();
    }
  });
});

describe('a migration file', () => {
  async function inFolder(files: Record<string, string>): Promise<Migration[]> {
    const folder = await mkdtemp(join(tmpdir(), 'culprit-migrations-'));
    try {
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      return await readMigrations(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  const first = { '0001_notes.sql': '-- The beginning.\ncreate table notes (id integer);\n' };
  const line = '-- Needs releases that know 0001_notes.sql';

  it('says in a line of its own which releases can go on behind it', async () => {
    const read = await inFolder({ ...first, '0002_drop.sql': `-- The end.\n${line}\n\ndrop table notes;\n` });
    expect(read.map(({ needs }) => needs)).toEqual([null, '0001_notes.sql']);
  });

  it('that names a migration nobody has is refused', async () => {
    await expect(inFolder({ '0002_drop.sql': `${line}\ndrop table notes;\n` })).rejects.toThrow(
      'needs 0001_notes.sql, which is not there',
    );
  });
});
