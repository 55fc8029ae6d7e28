import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnLiterals, unnestColumns } from '../../src/platform/db/bulk-rows.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { createTestDatabase } from '../support/test-database.ts';

describe('rows of a bulk statement', () => {
  let database: Database;
  beforeAll(async () => {
    const url = await createTestDatabase();
    database = openDatabase({ url, connectionsMax: 1, applicationName: 'culprit-test' });
  });
  afterAll(() => database?.close());

  const COLUMNS = [
    ['name', 'text'],
    ['seen_at', 'timestamptz'],
    ['triggers', 'jsonb'],
    ['events', 'bigint'],
  ] as const;

  it('arrive row by row under the names of their columns, in the types of these, behind other parameters', async () => {
    const rows = [
      { name: 'a "b", {c}', seen_at: '2026-03-24T10:30:00.123Z', triggers: '{"signal": 0}', events: 3 },
      { name: 'NULL', seen_at: null, triggers: null, events: -1n },
    ];
    const read = await database.query(
      {
        name: 'test-bulk-rows',
        text: `select $1::integer as first, u.* from ${unnestColumns(COLUMNS, 2, 'u')}`,
      },
      [7, ...columnLiterals(COLUMNS, rows)],
    );
    expect(read).toEqual([
      {
        first: 7,
        name: 'a "b", {c}',
        seen_at: Date.UTC(2026, 2, 24, 10, 30, 0, 123),
        triggers: { signal: 0 },
        events: 3,
      },
      { first: 7, name: 'NULL', seen_at: null, triggers: null, events: -1 },
    ]);
  });
});
