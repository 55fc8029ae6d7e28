import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkEvent } from '@culprit/evidence/events/envelope/check-event';
import { isObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { type EventLine, listedEvents, readEventFile, readEventLines } from '../../import/event-lines.ts';
import { fillFrom } from '../../import/read-lines.ts';
import type { Input } from '../../input.ts';
import { printJson, printLines, say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { eventOfFlags } from './event-of-flags.ts';
import { sentryEvents } from './sentry-events.ts';

/** Checks each event as the server would, and sends nothing. */
export async function dryRun(context: Context, input: Input): Promise<ExitCode> {
  let events = 0;
  const faults: { file: string; line: number; reason: string }[] = [];
  const check = (file: string, line: EventLine) => {
    events += 1;
    const reason = faultOf(line);
    if (reason !== null) faults.push({ file, line: line.line, reason });
  };
  const source = { origin: 'dry-run', path: '-' };
  if (input.args.length === 0) {
    for (const line of listedEvents(source, [await eventOfFlags(context, input)])) check('--type', line);
  }
  for (const file of input.args) {
    const path = resolve(context.directory, file);
    const list =
      (await sentryEvents(context, input, file === '-' ? '-' : path)) ??
      (file.endsWith('.json') ? listOf(path) : null);
    if (list !== null) for (const line of listedEvents(source, list)) check(file, line);
    else {
      const start = { offset: 0, line: 0 };
      const lines =
        file === '-'
          ? readEventLines(source, fillFrom(process.stdin), start)
          : readEventFile({ ...source, path }, start);
      for await (const line of lines) check(file, line);
    }
  }
  if (context.globals.json) printJson(context, { events, faults });
  else {
    printLines(
      context,
      faults.map(({ file, line, reason }) => `${visibleLine(file)}:${line}: ${visibleLine(reason)}`),
    );
  }
  say(context, `${events} events, ${faults.length} of them not valid. Nothing was sent.`);
  return faults.length === 0 ? EXIT.ok : EXIT.partial;
}

function faultOf(line: EventLine): string | null {
  if ('fault' in line) return line.fault;
  const check = checkEvent(line.event);
  return check.ok ? null : check.reason;
}

function listOf(path: string): unknown[] {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8').trim());
  if (Array.isArray(value)) return value;
  return isObject(value) && Array.isArray(value.events) ? value.events : [value];
}
