import { debugIdOf } from '@culprit/contract/releases/debug-id';
import { boundedMap } from '../envelope/bounded-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn, setOwn } from '../envelope/own-property.ts';
import { listOrEmpty, objectOrEmpty } from '../envelope/read-json.ts';
import { safeText, safeTextOrNull, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import type { AttachedLog, DebugId, ServerTrail } from './event.ts';
import { readLogLevel } from './log-level.ts';
import { instantMs, normalizeBreadcrumbs } from './normalize-breadcrumb.ts';
import type { SenderClock } from './sender-clock.ts';

/** Entries of each list that are kept, the latest ones. */
const ENTRIES_MAX = 100;
const DEBUG_IDS_MAX = 20;

/** Log lines and breadcrumbs that a server event carries (docs/contract/ingestion.md 2.1.3); never a reason to fail. */
export function normalizeTrail(payload: JsonObject, clock: SenderClock): ServerTrail {
  return {
    logs: latestObjects(payload.logs)
      .map((line) => attachedLog(line, clock))
      .filter(saysSomething),
    breadcrumbs: normalizeBreadcrumbs(latestObjects(payload.breadcrumbs), clock),
  };
}

/** The payload's `debug_ids` (2.1.4): entries whose value is no UUID say nothing. */
export function normalizeDebugIds(value: JsonValue | undefined): DebugId[] {
  const source = objectOrEmpty(value);
  const ids: DebugId[] = [];
  for (const file in source) {
    const id = getOwn(source, file);
    const uuid = typeof id === 'string' ? debugIdOf(id) : null;
    if (uuid === null) continue;
    ids.push({ file: safeText(file, TEXT_CHARS_MAX.url), id: uuid });
    if (ids.length === DEBUG_IDS_MAX) break;
  }
  return ids;
}

function latestObjects(value: JsonValue | undefined): JsonObject[] {
  return listOrEmpty(value).filter(isJsonObject).slice(-ENTRIES_MAX);
}

function saysSomething({ message, attributes }: AttachedLog): boolean {
  return message !== '' || Object.keys(attributes).length > 0;
}

function attachedLog(line: JsonObject, clock: SenderClock): AttachedLog {
  const attributes = boundedMap(getOwn(line, 'attributes'));
  const logger = safeTextOrNull(getOwn(line, 'logger'), TEXT_CHARS_MAX.name);
  if (logger !== null && !Object.hasOwn(attributes, 'logger')) setOwn(attributes, 'logger', logger);
  return {
    level: readLogLevel(getOwn(line, 'level')).level,
    message: safeTextOrNull(getOwn(line, 'message'), TEXT_CHARS_MAX.message) ?? '',
    attributes,
    timestampMs: instantMs(getOwn(line, 'ts'), clock),
  };
}
