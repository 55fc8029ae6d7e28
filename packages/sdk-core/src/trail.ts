import type { Breadcrumb } from './options.ts';
import { levelName } from './policy.ts';
import { type Cleaner, isJsonObject, TRUNCATED, textOf } from './redaction/clean.ts';
import type { JsonObject, JsonValue } from './wire.ts';

const ENTRY_CHARS_MAX = 1024;
const MESSAGE_CHARS_MAX = 512;

/** An entry of a trail, cleaned and at most 1 KiB. */
export function breadcrumbEntry(cleaner: Cleaner, crumb: Breadcrumb, atMs: number): JsonObject {
  const { type, category, message, level, data } = crumb;
  const own = cleaner.membersOf({ message, level });
  for (const name of ['message', 'level']) if (own[name] === null) delete own[name];
  const map = typeof data === 'object' ? data : data === undefined ? null : { value: data };
  return bounded(
    {
      breadcrumb_type: textOf(cleaner.value(String(type ?? category ?? 'custom'), 64)) || 'custom',
      ts: new Date(atMs).toISOString(),
      data: { ...own, ...cleaner.membersOf(map ?? {}) },
    },
    'data',
  );
}

/** A log line of a trail, the same way. */
export function logEntry(
  cleaner: Cleaner,
  line: {
    level: string;
    message: string;
    logger?: string | null | undefined;
    attributes?: object | undefined;
  },
  atMs: number,
): JsonObject {
  return bounded(
    {
      level: levelName(line.level),
      message: cleaner.value(line.message, MESSAGE_CHARS_MAX),
      ts: new Date(atMs).toISOString(),
      logger: line.logger ?? null,
      attributes: cleaner.membersOf(line.attributes ?? {}),
    },
    'attributes',
  );
}

function bounded(entry: JsonObject, member: 'data' | 'attributes'): JsonObject {
  const isLong = () => sizeOf(entry) > ENTRY_CHARS_MAX;
  const map = entry[member];
  if (isLong() && isJsonObject(map)) {
    // Whole members go, the largest first, so that what stays is whole.
    const bySize = Object.keys(map).sort((a, b) => sizeOf(map[b]) - sizeOf(map[a]));
    for (const key of bySize) if (isLong()) map[key] = TRUNCATED;
    if (isLong()) entry[member] = {};
  }
  return entry;
}

function sizeOf(value: JsonValue | undefined): number {
  return JSON.stringify(value).length;
}
