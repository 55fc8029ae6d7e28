import { EXPORTED_KINDS } from '@culprit/contract/workspace/account';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { LANES } from '../../src/roles/lanes.ts';
import { SCHEDULES } from '../../src/roles/schedules.ts';
import { TABLES } from '../../src/roles/tables.ts';
import { incidentTables, purgeStepsOf } from '../../src/upkeep/purge/purge.queries.ts';
import { exportSources } from '../../src/workspace/account-data/account-export.queries.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** Columns by which a row belongs to an account. */
const ACCOUNT_COLUMNS = ['user_id', 'owner_user_id', 'organization_id', 'project_id'];

interface SchemaTable {
  name: string;
  is_unlogged: boolean;
  columns: string[];
  /** Tables whose deleted rows take rows of this one with them. */
  cascades_from: string[];
}

describe('the tables of the features', () => {
  let database: Database;
  let schema: Map<string, SchemaTable>;
  beforeAll(async () => {
    database = openDatabase({
      url: await createTestDatabase(),
      connectionsMax: 1,
      applicationName: 'tables-test',
    });
    const tables = await database.query<SchemaTable>({
      name: 'test-schema-tables',
      text: `select c.relname::text as name, c.relpersistence = 'u' as is_unlogged,
          array(select a.attname::text from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
          array(select f.confrelid::regclass::text from pg_constraint f
            where f.conrelid = c.oid and f.contype = 'f' and f.confdeltype = 'c') as cascades_from
        from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
        where c.relkind in ('r', 'p') and not c.relispartition`,
    });
    schema = new Map(tables.map((table) => [table.name, table]));
  });
  afterAll(() => database.close());

  const columnsOf = (name: string) => schema.get(name)?.columns ?? [];
  const listed = (condition: (table: (typeof TABLES)[number]) => boolean) =>
    TABLES.filter(condition)
      .map(({ name }) => name)
      .sort();
  const inSchema = (condition: (table: SchemaTable) => boolean) =>
    [...schema.values()]
      .filter(condition)
      .map(({ name }) => name)
      .sort();

  it('are those of the schema, each once', () => {
    expect(listed(() => true)).toEqual(inSchema(() => true));
  });

  it('say of each table with rows of a project or an incident how these are removed', () => {
    const without = listed(({ purge }) => purge === 'no_project');
    const ofProjects = inSchema(
      ({ columns }) => columns.includes('project_id') || columns.includes('incident_id'),
    );
    expect(ofProjects.filter((name) => without.includes(name))).toEqual([]);
  });

  it('remove rows by columns that are there, and by parents that are removed by project', () => {
    for (const table of TABLES) {
      for (const step of purgeStepsOf(table)) {
        const column = typeof step === 'string' ? COLUMN_OF[step] : step.key;
        expect([table.name, columnsOf(table.name)]).toEqual([table.name, expect.arrayContaining([column])]);
        if (typeof step === 'string') continue;
        expect([step.through, columnsOf(step.through)]).toEqual([
          step.through,
          expect.arrayContaining(['project_id', step.key]),
        ]);
      }
    }
  });

  it('come before the tables whose rows would take theirs with them at once', () => {
    const order = TABLES.map(({ name }) => name);
    const isPurged = (name: string) =>
      TABLES.some((each) => each.name === name && purgeStepsOf(each).length > 0);
    const late = [...schema.values()].flatMap(({ name, cascades_from: parents }) =>
      parents
        .filter((parent) => isPurged(name) && isPurged(parent) && order.indexOf(parent) < order.indexOf(name))
        .map((parent) => `${name} after ${parent}`),
    );
    expect(late).toEqual([]);
  });

  it('keep rows with their incident exactly where these are removed with it', () => {
    // A table may lose rows of long-lived incidents before.
    const kept = listed(
      ({ purge, retention }) =>
        retention === 'with_its_incident' ||
        (typeof retention === 'object' && 'window' in retention && purge.includes('by_incident')),
    );
    expect(kept).toEqual(
      incidentTables(TABLES)
        .map(({ name }) => name)
        .filter((name) => name !== 'incidents')
        .sort(),
    );
  });

  it('name jobs and periodic tasks that exist', () => {
    const known = [...SCHEDULES.map(({ name }) => name), ...LANES.flatMap(({ kinds }) => kinds)];
    const tasks = TABLES.flatMap(({ retention }) =>
      typeof retention === 'object' && 'task' in retention ? [retention.task] : [],
    );
    expect(tasks.filter((task) => !known.includes(task))).toEqual([]);
  });

  it('export each kind of record once, and nothing without a reason stays out', () => {
    const parts = TABLES.flatMap(({ exported }) => (typeof exported === 'string' ? [] : exported));
    expect(parts.map(({ kind }) => kind).sort()).toEqual([...EXPORTED_KINDS].sort());
    expect(exportSources(TABLES).map(({ kind }) => kind)).toEqual(EXPORTED_KINDS);
    const ofAccounts = inSchema(({ columns }) => columns.some((column) => ACCOUNT_COLUMNS.includes(column)));
    const unexplained = TABLES.filter(
      ({ name, exported }) => ofAccounts.includes(name) && exported.length === 0,
    );
    expect(unexplained).toEqual([]);
    for (const { name, exported } of TABLES) {
      for (const { from } of typeof exported === 'string' ? [] : exported) expect(from).toMatch(`${name} `);
    }
  });

  it('name each column with the key of an object, but for the marks of objects to be deleted', () => {
    const named = TABLES.flatMap(({ name, objectColumn }) =>
      objectColumn === undefined ? [] : [`${name}.${objectColumn}`],
    );
    const columns = [...schema.values()].flatMap(({ name, columns: all }) =>
      all.filter((column) => column.endsWith('object_key')).map((column) => `${name}.${column}`),
    );
    expect([...named, 'object_tombstones.object_key'].sort()).toEqual(columns.sort());
  });

  it('leave what a crash may empty out of backups, what is derived, and what belongs to the database or the store', () => {
    const leftOut = listed(({ isLeftOutOfBackups }) => isLeftOutOfBackups === true);
    const ownOfDatabase = ['schema_migrations', 'object_store', 'lifecycle_feed', 'backups'];
    // A trigger writes them when the rows of incidents are restored.
    const derived = ['incident_titles'];
    expect(leftOut).toEqual(
      [...inSchema(({ is_unlogged: isUnlogged }) => isUnlogged), ...ownOfDatabase, ...derived].sort(),
    );
  });
});

const COLUMN_OF = { by_project: 'project_id', by_blocks: 'project_id', by_incident: 'incident_id' } as const;
