/**
 * A one-dimensional array in the text form of PostgreSQL, for the long columns of bulk statements: several times as fast
 * as the driver's own conversion, and as JSON rows are for the server. The statement casts it (`$1::uuid[]`).
 */
export function arrayLiteral(values: readonly (string | number | bigint | boolean | null)[]): string {
  let text = '{';
  for (const value of values) {
    if (text.length > 1) text += ',';
    text += typeof value === 'string' ? quoted(value) : value === null ? 'NULL' : String(value);
  }
  return `${text}}`;
}

function quoted(text: string): string {
  return text.includes('"') || text.includes('\\') ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
}
