import { active } from './client/registry.ts';
import { readRecord } from './loggers/json-line.ts';

/** For the `streams` of `bunyan.createLogger`: `culpritStream()`. */
export function culpritStream(level = 'info'): {
  type: 'raw';
  level: string;
  stream: { write(record: object): void };
} {
  return {
    type: 'raw',
    level,
    stream: {
      write(record) {
        try {
          active()?.captureLogLine(readRecord(record));
        } catch {
          // The host's log continues.
        }
      },
    },
  };
}
