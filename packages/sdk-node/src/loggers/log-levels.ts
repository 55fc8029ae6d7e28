/** Numeric levels of pino and bunyan. */
export function levelOfNumber(level: number): string {
  if (level >= 60) return 'fatal';
  if (level >= 50) return 'error';
  if (level >= 40) return 'warning';
  return level >= 30 ? 'info' : 'debug';
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['silly', 'debug'],
  ['trace', 'debug'],
  ['verbose', 'debug'],
  ['debug', 'debug'],
  ['warn', 'warning'],
  ['warning', 'warning'],
  ['err', 'error'],
  ['error', 'error'],
  ['crit', 'critical'],
  ['critical', 'critical'],
  ['alert', 'critical'],
  ['emerg', 'critical'],
  ['emergency', 'critical'],
  ['fatal', 'fatal'],
]);

/** Names of levels in the dialects of the common loggers; what is unknown is information. */
export function levelOfName(name: string): string {
  return NAMES.get(name.toLowerCase()) ?? 'info';
}
