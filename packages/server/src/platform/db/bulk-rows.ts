import { arrayLiteral } from './array-literal.ts';
import { binaryArray, isArrayType } from './binary-array.ts';

/** A column of a bulk statement and its type in PostgreSQL. */
export type BulkColumn<Name extends string = string> = readonly [name: Name, type: string];

/**
 * The source of a bulk statement, such as `unnest($2::uuid[], $3::text[]) as u (incident_id, status)`. Its parameters
 * are those of `columnLiterals`. Rows that travel as one JSON text cost the server about twice as much to read.
 * @param firstParameter number of the parameter that holds the first column
 */
export function unnestColumns(columns: readonly BulkColumn[], firstParameter: number, alias: string): string {
  const arrays = columns.map(([, type], index) => `$${firstParameter + index}::${type}[]`);
  return `unnest(${arrays.join(', ')}) as ${alias} (${columns.map(([name]) => name).join(', ')})`;
}

/**
 * The parameters of `unnestColumns`: one array for each column, with a value of each row. Times may be milliseconds
 * since the epoch.
 */
export function columnLiterals<Name extends string>(
  columns: readonly BulkColumn<Name>[],
  rows: readonly Readonly<Record<Name, string | number | bigint | boolean | null>>[],
): (string | Buffer)[] {
  return columns.map(([name, type]) => {
    const values = rows.map((row) => row[name]);
    return isArrayType(type) ? binaryArray(type, values) : arrayLiteral(values);
  });
}
