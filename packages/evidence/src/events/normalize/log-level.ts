import { logLevelWords } from '@culprit/contract/events/event-fields';
import type { JsonValue } from '../envelope/json.ts';
import type { LogLevel } from './event.ts';

/**
 * Returns the level and rank of a checked word, in any case; without one it is `info` (docs/contract/ingestion.md 2.4).
 */
export function readLogLevel(value: JsonValue | undefined): { level: LogLevel; rank: number } {
  const word = typeof value === 'string' ? value.toLowerCase() : 'info';
  return isLevelWord(word) ? logLevelWords[word] : logLevelWords.info;
}

/** Returns the level of a word; null if it is no level. */
export function logLevelOrNull(value: JsonValue | undefined): LogLevel | null {
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return isLevelWord(word) ? logLevelWords[word].level : null;
}

function isLevelWord(word: string): word is keyof typeof logLevelWords {
  return Object.hasOwn(logLevelWords, word);
}
