import { isatty } from 'node:tty';
import { type ChildLoggerOptions, type Logger, pino } from 'pino';
import { readableLine, safeJsonLine } from './readable-line.ts';
import { redactFields } from './redact-fields.ts';

/** Characters kept while nothing can be written; later lines are dropped. */
const UNWRITTEN_MAX = 64 * 1024;

/** `auto`: readable lines on a terminal, JSON elsewhere. */
export type LogFormat = 'auto' | 'pretty' | 'json';

/**
 * A logger for one role of the process: one line of JSON per entry on standard output, or on standard error for
 * commands whose output is data; on a terminal lines for people. Use `log.child({ requestId })` or `log.child({ jobId })` where lines belong
 * together. Fields with secret names are replaced wherever they come from (docs/contract/reliability.md A11); this is
 * the net below the rule to log listed fields only.
 */
export function createLogger(options: {
  level: string;
  role: string;
  format?: LogFormat;
  toStandardError?: boolean;
}): Logger {
  // Written synchronously: the last lines before a crash are the most useful ones.
  const fd = options.toStandardError === true ? 2 : 1;
  const destination = pino.destination({ fd, sync: true, maxLength: UNWRITTEN_MAX });
  // A log on a full disk must not end the process; lines come again when there is space.
  destination.on('error', () => {});
  const { format = 'auto' } = options;
  const isReadable = format === 'pretty' || (format === 'auto' && isatty(fd));
  const style = { isColored: isatty(fd) && (process.env.NO_COLOR ?? '') === '' };
  return createLoggerTo(
    {
      write: (line) => void destination.write(isReadable ? readableLine(line, style) : safeJsonLine(line)),
    },
    options,
  );
}

/** The same, writing lines to a given place. */
export function createLoggerTo(
  destination: { write(line: string): void },
  options: { level: string; role: string },
): Logger {
  const log = pino(
    {
      level: options.level,
      base: { role: options.role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: redactFields,
      },
    },
    destination,
  );

  // The formatters do not see what child loggers are given. Children inherit this, so theirs are covered too.
  const makeChild = log.child;
  Object.defineProperty(log, 'child', {
    value(this: Logger, fields: object, options?: ChildLoggerOptions) {
      return Reflect.apply(makeChild, this, [redactFields(fields), options]);
    },
  });
  return log;
}
