import { logLevelWords } from '@culprit/contract/events/event-fields';

/** Words of loggers that `POST /v1/events` does not take, with those that it does. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  // java.util.logging
  severe: 'error',
  config: 'debug',
  fine: 'debug',
  finer: 'debug',
  finest: 'debug',
  // syslog, klog, Android and Serilog
  emerg: 'emergency',
  panic: 'fatal',
  crit: 'critical',
  err: 'error',
  informational: 'info',
  default: 'info',
  log: 'info',
  success: 'info',
  f: 'fatal',
  e: 'error',
  w: 'warning',
  i: 'info',
  d: 'debug',
  v: 'debug',
  t: 'debug',
  ftl: 'fatal',
  wrn: 'warning',
  inf: 'info',
  dbg: 'debug',
  vrb: 'debug',
};

const WORD_CHARS_MAX = 16;

/** The level that a logger names, in any letter case, `ERROR2` and the like included; null for no level. */
export function levelOfWord(text: string): string | null {
  if (text.length > WORD_CHARS_MAX) return null;
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[1-4]$/, '');
  if (Object.hasOwn(logLevelWords, word)) return word;
  return Object.hasOwn(OTHER_WORDS, word) ? (OTHER_WORDS[word] ?? null) : null;
}
