import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrayLiteral } from '../../src/platform/db/array-literal.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { createTestDatabase } from '../support/test-database.ts';

describe('an array in the text form of PostgreSQL', () => {
  let database: Database;
  beforeAll(async () => {
    const url = await createTestDatabase();
    database = openDatabase({ url, connectionsMax: 1, applicationName: 'culprit-test' });
  });
  afterAll(() => database?.close());

  async function readBack(values: readonly (string | null)[]): Promise<(string | null)[]> {
    const [row] = await database.query<{ values: (string | null)[] }>(
      { name: 'test-array', text: 'select $1::text[] as values' },
      [arrayLiteral(values)],
    );
    return row?.values ?? [];
  }

  it('is read by the server as the texts it was made of, whatever stands in them', async () => {
    // The database takes no NUL, and no half of a surrogate pair.
    const text = fc.string({ unit: 'binary', maxLength: 20 }).map((each) => each.replaceAll('\0', ''));
    const hostile = fc.constantFrom(
      '',
      'NULL',
      'null',
      '"',
      '\\',
      '\\"',
      '{}',
      '{"a",b}',
      ',',
      ' ',
      "'; drop",
      '\n',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(text, hostile, fc.constant(null)), { maxLength: 12 }),
        async (values) => {
          expect(await readBack(values)).toEqual(values);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('holds numbers of every size, truth values and nothing at all', async () => {
    const [row] = await database.query(
      {
        name: 'test-array-kinds',
        text: `select $1::bigint[]::text as big, $2::integer[]::text as small, $3::boolean[]::text as flags,
          $4::uuid[]::text as none`,
      },
      [
        arrayLiteral([-(2n ** 63n), 2n ** 63n - 1n, null]),
        arrayLiteral([0, -1, 2_147_483_647]),
        arrayLiteral([true, false]),
        arrayLiteral([]),
      ],
    );
    expect(row).toEqual({
      big: '{-9223372036854775808,9223372036854775807,NULL}',
      small: '{0,-1,2147483647}',
      flags: '{t,f}',
      none: '{}',
    });
  });
});
