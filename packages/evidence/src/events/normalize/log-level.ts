import { logLevelWords } from '@culprit/contract/event-fields';
import type { JsonValue } from '../envelope/json.ts';
import type { LogLevel } from './event.ts';

/**
 * The level and rank a checked word stands for, in any case; without one it is `info` (docs/contract/ingestion.md
 * 2.4).
 */
export function readLogLevel(value: JsonValue | undefined): { level: LogLevel; rank: number } {
  const word = typeof value === 'string' ? value.toLowerCase() : 'info';
  return isLevelWord(word) ? logLevelWords[word] : logLevelWords.info;
}

/** The level a word stands for; null where it is no level. */
export function logLevelOrNull(value: JsonValue | undefined): LogLevel | null {
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return isLevelWord(word) ? logLevelWords[word].level : null;
}

function isLevelWord(word: string): word is keyof typeof logLevelWords {
  return Object.hasOwn(logLevelWords, word);
}
