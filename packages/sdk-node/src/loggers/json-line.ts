import type { LogLine } from '../client/implementation.ts';
import { levelOfName, levelOfNumber } from './log-levels.ts';

/** Keys that are facts of the line itself or of the machine, which events carry anyway. */
const OWN_KEYS = new Set(['level', 'time', 'msg', 'message', 'name', 'pid', 'hostname', 'v', 'err', 'error']);
const MAX_KEYS = 60;

/** A record of pino or bunyan, parsed or as the logger made it, as a line of the trail. */
export function readRecord(record: object): LogLine {
  const entries = Object.entries(record).slice(0, MAX_KEYS);
  const value = (key: string): unknown => Reflect.get(record, key);
  const level = value('level');
  const message = value('msg') ?? value('message');
  const logger = value('name');
  return {
    level: typeof level === 'number' ? levelOfNumber(level) : levelOfName(String(level)),
    message: typeof message === 'string' ? message : '',
    logger: typeof logger === 'string' ? logger : null,
    attributes: Object.fromEntries(entries.filter(([key]) => !OWN_KEYS.has(key))),
    error: value('err') ?? value('error'),
    isEvent: true,
  };
}
