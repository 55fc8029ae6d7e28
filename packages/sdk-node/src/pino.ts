import { active } from './client/registry.ts';
import { readRecord } from './loggers/json-line.ts';

/** Longer lines are not parsed. */
const MAX_LINE = 262_144;

/**
 * For pino before 9.10: `pino.multistream([{ stream: process.stdout }, { stream: culpritStream() }])`. Later versions
 * need no line.
 */
export function culpritStream(): { write(line: string): void } {
  return {
    write(line) {
      try {
        const found = active();
        if (found === undefined || line.length > MAX_LINE) return;
        const record: unknown = JSON.parse(line);
        if (typeof record === 'object' && record !== null) found.captureLogLine(readRecord(record));
      } catch {
        // A line that is not JSON is no record.
      }
    },
  };
}
