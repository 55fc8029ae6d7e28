import type { JsonObject } from '../../../../src/events/envelope/json.ts';

export const AT = 1_764_374_400.123;
export const ISO = '2025-11-29T00:00:00.123456Z';
export const frame = (name: string, file: string, line: number, more: JsonObject = {}): JsonObject => ({
  function: name,
  filename: file,
  lineno: line,
  in_app: true,
  ...more,
});
export const chain = (...values: JsonObject[]): JsonObject => ({ values });
