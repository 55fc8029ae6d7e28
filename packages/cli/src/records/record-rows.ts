import { isObject, type JsonObject } from '../config/json-file.ts';

/** Label and value of everything that a record holds, for people. */
export function rowsOf(record: JsonObject, prefix = ''): (readonly [string, string])[] {
  return Object.entries(record).flatMap(([key, value]): (readonly [string, string])[] => {
    const label = `${prefix}${key.replaceAll('_', ' ')}`;
    if (value === null || value === undefined) return [];
    if (isObject(value)) return rowsOf(value, `${label} `);
    if (Array.isArray(value)) {
      const texts = value.map((each) => (typeof each === 'object' ? JSON.stringify(each) : String(each)));
      return texts.length === 0 ? [] : [[label, texts.join(', ')]];
    }
    return [[label, String(value)]];
  });
}
