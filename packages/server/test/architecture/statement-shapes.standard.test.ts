import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../lanes/test-files.ts';
import { createTestDatabase } from '../support/test-database.ts';
import {
  type AnsweredColumn,
  describeStatement,
  type StatementDescription,
} from './statements/describe-statement.ts';
import { findStatements, type StatementUse, type ValueKind } from './statements/find-statements.ts';

// Runs on the oldest PostgreSQL too.

const EVALUATE = fileURLToPath(new URL('statements/evaluate-statements.mjs', import.meta.url));

/** What the driver makes of each type (`platform/db/database.ts` for times and large whole numbers). */
const {
  BOOL,
  BYTEA,
  INT2,
  INT4,
  INT8,
  FLOAT8,
  TIMESTAMPTZ,
  TEXT,
  UUID,
  JSON: JSON_TEXT,
  JSONB,
} = pg.types.builtins;
const INT4_ARRAY = 1007;
const TEXT_ARRAY = 1009;
const UUID_ARRAY = 2951;
const KINDS_OF_TYPE = new Map<number, readonly ValueKind[]>([
  [BOOL, ['boolean']],
  [BYTEA, ['buffer']],
  ...[INT2, INT4, INT8, FLOAT8, TIMESTAMPTZ].map((type) => [type, ['number']] as const),
  ...[TEXT, UUID].map((type) => [type, ['string']] as const),
  ...[INT4_ARRAY, TEXT_ARRAY, UUID_ARRAY].map((type) => [type, ['array']] as const),
  ...[JSON_TEXT, JSONB].map(
    (type) => [type, ['object', 'array', 'string', 'number', 'boolean', 'unknown']] as const,
  ),
]);

/** Files whose statements are made of arguments: the tests of who calls them send them. */
const MADE_OF_ARGUMENTS = [
  'pipeline/bundles/evidence/bundle-evidence.queries.ts',
  'pipeline/incidents/ownership/ownership.queries.ts',
  'pipeline/incidents/reading/incident-list.queries.ts',
  'pipeline/incidents/reading/logs.queries.ts',
  'pipeline/incidents/reading/occurrence-counts.queries.ts',
  'pipeline/incidents/reading/occurrence-markers.queries.ts',
  'pipeline/incidents/releases/release-incidents.ts',
  'pipeline/incidents/searching/find-candidates.ts',
  'pipeline/incidents/searching/fit-queries.ts',
  'pipeline/incidents/triage/triage.queries.ts',
  'pipeline/ingest/ingest.queries.ts',
  'platform/db/delete-expired.ts',
  'platform/db/migrate.ts',
  'platform/db/statement.ts',
  'platform/row-queue/claim-statement.ts',
  'upkeep/purge/purge.queries.ts',
  'upkeep/retention/old-rows.queries.ts',
  'workspace/access/access.queries.ts',
  'workspace/account-data/account-export.queries.ts',
  'workspace/account-data/mailed-codes.queries.ts',
  'workspace/billing/plan-records.queries.ts',
  'workspace/tokens/tokens.queries.ts',
];

interface KnownStatement extends StatementUse {
  name: string;
  text: string;
}

let statements: KnownStatement[];
let unknown: StatementUse[];
let client: pg.Client;

beforeAll(async () => {
  const uses = findStatements();
  const values = await evaluate(uses);
  statements = uses.flatMap((use) => {
    const value = values.get(use);
    return value === undefined ? [] : [{ ...use, ...value }];
  });
  unknown = uses.filter((use) => !values.has(use));
  client = new pg.Client({ connectionString: await createTestDatabase() });
  await client.connect();
}, 120_000);

afterAll(async () => {
  await client.end();
});

describe('the statements of the server', () => {
  it('are known from the source, but for those that a function makes of its arguments', () => {
    const files = new Set(unknown.map(({ path }) => path.replace('packages/server/src/', '')));
    expect([...files].toSorted()).toEqual(MADE_OF_ARGUMENTS);
  });

  it('are understood by PostgreSQL and answer with the columns of their row type', async () => {
    const problems: string[] = [];
    for (const statement of statements) {
      const answered = await describeStatement(client, statement.text).catch((error: Error) => error);
      for (const problem of problemsOf(statement, answered)) {
        problems.push(`${statement.where} ${statement.name}: ${problem}`);
      }
    }
    expect(problems).toEqual([]);
  });
});

/** Columns that change with each event of an incident, by table. */
const MOVING: Readonly<Record<string, readonly string[]>> = {
  incidents: [
    'last_seen_at',
    'newest_received_at',
    'occurrence_count',
    'affected_users',
    'distinct_requests',
    'occurrences_without_request_id',
    'occurrences_with_request_block',
    'spike_last_true_at',
    'suppressed_count',
  ],
  incident_minutes: ['occurrences'],
  incident_samples: ['event_id', 'effective_at', 'roles'],
  incident_tags: ['count', 'last_seen_at'],
  incident_members: ['stamp', 'changes'],
};

describe('a row that moves with each event', () => {
  it('moves in its page: no index, expression or condition of one has what moves, and the page has room', async () => {
    const { rows } = await client.query<{ name: string; column: string }>(
      `select t.relname as name, a.attname as column from pg_index x
        join pg_class t on t.oid = x.indrelid
        join pg_attribute a on a.attrelid = t.oid and (a.attnum = any (x.indkey) or exists (
          select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = x.indexrelid
            and d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid and d.refobjsubid = a.attnum))
        where t.relname = any ($1)`,
      [Object.keys(MOVING)],
    );
    expect(new Set(rows.map(({ name }) => name)).size).toBe(Object.keys(MOVING).length);
    expect(rows.filter(({ name, column }) => MOVING[name]?.includes(column))).toEqual([]);
    const filled = await client.query<{ relname: string }>(
      `select relname from pg_class where relname = any ($1)
        and not exists (select from unnest(reloptions) o where o ~ '^fillfactor=[5-7]0$')`,
      [Object.keys(MOVING)],
    );
    expect(filled.rows).toEqual([]);
  });

  it('has nothing between the columns that move: the log takes all from the first to the last that changed', async () => {
    const { rows } = await client.query<{ attname: string }>(
      `select attname from pg_attribute, lateral (
          select min(attnum) as first, max(attnum) as last from pg_attribute
          where attrelid = 'incidents'::regclass and attname = any ($1)) moving
        where attrelid = 'incidents'::regclass and not attisdropped and attnum between first and last
          and attname <> all ($1)`,
      [MOVING.incidents],
    );
    expect(rows).toEqual([]);
  });
});

function problemsOf(
  { columns, value, parameters }: KnownStatement,
  answered: StatementDescription | Error,
): string[] {
  if (answered instanceof Error) return [answered.message];
  const problems =
    parameters === null || parameters === answered.parameters
      ? []
      : [`it has ${answered.parameters} parameters and is given ${parameters}`];
  if (value !== null) {
    const [only, ...others] = answered.columns;
    if (only === undefined || others.length > 0) return [...problems, 'a value is one column'];
    return [...problems, ...wrongKinds(only, value)];
  }
  if (columns === null) return problems;
  const names = answered.columns.map(({ name }) => name);
  return [
    ...problems,
    ...names.filter((name) => !columns.has(name)).map((name) => `${name} is in no row type`),
    ...[...columns.keys()].filter((name) => !names.includes(name)).map((name) => `${name} is not selected`),
    ...answered.columns.flatMap((column) => wrongKinds(column, columns.get(column.name) ?? [])),
  ];
}

function wrongKinds({ name, typeId }: AnsweredColumn, read: readonly ValueKind[]): string[] {
  const allowed = KINDS_OF_TYPE.get(typeId);
  if (allowed === undefined) return [`${name} has the type ${typeId}, which this test does not know`];
  const wrong = read.filter((kind) => !allowed.includes(kind));
  return wrong.map((kind) => `${name} is read as ${kind}, and is ${allowed.join(' or ')}`);
}

async function evaluate(
  uses: readonly StatementUse[],
): Promise<Map<StatementUse, { name: string; text: string }>> {
  const byPath = Map.groupBy(uses, ({ path }) => ROOT + path);
  const child = spawn(process.execPath, [EVALUATE], { stdio: ['pipe', 'pipe', 'inherit'] });
  const expressions = [...byPath].map(([path, all]) => [path, all.map(({ expression }) => expression)]);
  child.stdin.end(JSON.stringify(Object.fromEntries(expressions)));
  const values: Record<string, ({ name: string; text: string } | null)[]> = JSON.parse(
    await text(child.stdout),
  );
  return new Map(
    [...byPath].flatMap(([path, all]) =>
      all.flatMap((use, index) => {
        const value = values[path]?.[index];
        return value == null ? [] : [[use, value] as const];
      }),
    ),
  );
}
