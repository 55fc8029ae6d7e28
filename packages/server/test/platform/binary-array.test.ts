import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrayLiteral } from '../../src/platform/db/array-literal.ts';
import { type ArrayType, type ArrayValue, binaryArray } from '../../src/platform/db/binary-array.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { createTestDatabase } from '../support/test-database.ts';

describe('an array in the binary form of PostgreSQL', () => {
  let database: Database;
  beforeAll(async () => {
    const url = await createTestDatabase();
    database = openDatabase({ url, connectionsMax: 1, applicationName: 'culprit-test' });
  });
  afterAll(() => database?.close());

  /** The array as the server writes it, from its binary form and from its text form. */
  async function bothForms(
    type: ArrayType,
    values: readonly ArrayValue[],
  ): Promise<{ binary: string; text: string }> {
    const [row] = await database.query<{ binary: string; text: string }>(
      {
        name: `test-binary-${type}`,
        text: `select $1::${type}[]::text as binary, $2::${type}[]::text as text`,
      },
      [binaryArray(type, values), arrayLiteral(values.map((value) => textOf(type, value)))],
    );
    if (row === undefined) throw new Error('the server returned no row');
    return row;
  }

  function textOf(type: ArrayType, value: ArrayValue) {
    if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
    return type === 'timestamptz' && typeof value === 'number' ? new Date(value).toISOString() : value;
  }

  // The database takes no NUL.
  const text = fc.string({ unit: 'binary', maxLength: 20 }).map((each) => each.replaceAll('\0', ''));
  const time = fc
    .date({ min: new Date('0001-01-02'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map(Number);
  const KINDS: readonly (readonly [ArrayType, fc.Arbitrary<ArrayValue>])[] = [
    ['boolean', fc.boolean()],
    ['bytea', fc.uint8Array({ maxLength: 40 })],
    [
      'bigint',
      fc.oneof(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.maxSafeInteger(),
        fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, '-77'),
      ),
    ],
    ['smallint', fc.integer({ min: -32_768, max: 32_767 })],
    ['integer', fc.integer()],
    ['text', fc.oneof(text, fc.constantFrom('', 'NULL', '"', '\\', '{}', ','))],
    [
      'timestamptz',
      fc.oneof(
        time,
        time.map((each) => new Date(each).toISOString()),
      ),
    ],
    [
      'uuid',
      fc.oneof(
        fc.uuid(),
        fc.uuid().map((each) => each.toUpperCase()),
      ),
    ],
  ];

  it.each(KINDS)('of %s is what its text form is', async (type, value) => {
    // Values that repeat, as in the columns of a claim.
    const few = fc
      .tuple(value, fc.array(fc.boolean(), { maxLength: 6 }))
      .map(([each, isNull]) => isNull.map((no) => (no ? null : each)));
    const values = fc
      .array(fc.oneof(few, fc.array(fc.option(value), { maxLength: 6 })), { maxLength: 4 })
      .map((parts) => parts.flat());
    await fc.assert(
      fc.asyncProperty(values, async (each) => {
        const { binary, text } = await bothForms(type, each);
        expect(binary).toBe(text);
      }),
      { numRuns: 100 },
    );
  });

  it('is refused with a value that is not of its type, before anything is sent', () => {
    const wrong: [ArrayType, ArrayValue][] = [
      ['uuid', '0000'],
      ['uuid', '00000000-0000-0000-0000-00000000000g'],
      ['uuid', '00000000-0000-0000-0000-0000000000000'],
      ['uuid', 'ä0000000-0000-0000-0000-000000000000'],
      ['timestamptz', 'yesterday'],
      ['timestamptz', Number.NaN],
      ['bigint', 2n ** 63n],
      ['bigint', 1.5],
      ['integer', 2 ** 31],
      ['integer', '1'],
      ['smallint', -32_769],
      ['smallint', 0.5],
      ['boolean', 1],
      ['bytea', 'text'],
    ];
    for (const [type, value] of wrong) expect(() => binaryArray(type, [null, value])).toThrow();
  });
});
