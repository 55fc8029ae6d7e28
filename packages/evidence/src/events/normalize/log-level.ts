import { logLevelWords } from '@culprit/contract/events/event-fields';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import type { LogLevel } from './event.ts';

/**
 * Returns the level and rank of a checked word, in any case; without one it is `info` (docs/contract/ingestion.md 2.4).
 */
export function readLogLevel(value: JsonValue | undefined): { level: LogLevel; rank: number } {
  const word = typeof value === 'string' ? value.toLowerCase() : 'info';
  return isLevelWord(word) ? logLevelWords[word] : logLevelWords.info;
}

/** Levels by the number that syslog and the journal of systemd give them. */
const PRIORITIES = ['emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug'] as const;

/**
 * Returns the level of a line that was checked: its own; where it has none, the `PRIORITY` of the journal in its
 * attributes or in the record that is its message.
 */
export function lineLevel(payload: JsonObject): { level: LogLevel; rank: number } {
  const { level, message } = payload;
  if (level !== undefined && level !== null) return readLogLevel(level);
  const attributes = payload.attributes ?? payload.fields ?? null;
  const written = isJsonObject(attributes) ? getOwn(attributes, 'PRIORITY') : undefined;
  const number =
    typeof written === 'string' || typeof written === 'number'
      ? PRIORITY.exec(String(written))?.[0]
      : typeof message === 'string' && message.startsWith('{')
        ? OF_JOURNAL.exec(message)?.[1]
        : undefined;
  return readLogLevel(number === undefined ? undefined : PRIORITIES[Number(number)]);
}

const PRIORITY = /^[0-7]$/;
const OF_JOURNAL = /"PRIORITY"\s{0,4}:\s{0,4}"?([0-7])"?\s{0,4}[,}]/;

/** Returns the level of a word; null if it is no level. */
export function logLevelOrNull(value: JsonValue | undefined): LogLevel | null {
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return isLevelWord(word) ? logLevelWords[word].level : null;
}

function isLevelWord(word: string): word is keyof typeof logLevelWords {
  return Object.hasOwn(logLevelWords, word);
}
