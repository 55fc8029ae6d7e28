import { eventTypes } from '@culprit/contract/events/event-fields';
import { type TailEvent, tailEvents } from '@culprit/contract/events/recent-events';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { printLines } from '../../output/print.ts';
import { shownTime } from '../../output/shown-time.ts';
import { cutLine, visibleJson, visibleLine } from '../../output/visible-text.ts';
import { projectId } from '../../references/project-reference.ts';
import { sleep } from '../../sleep.ts';

const LOOK_EVERY_MS = 2000;
const LEVEL_WIDTH = 9;

/** Prints the newest events, each on a separate line. */
export const run: Run = async (context, input) => {
  const api = await context.api();
  const id = await projectId(context);
  const filters = filtersOf(input);
  const forMs = input.durationMs('for');
  const deadline = forMs === null ? Number.POSITIVE_INFINITY : performance.now() + forMs;
  let after: string | null = null;
  do {
    const page: { events: TailEvent[]; cursor: string } = await api.call(tailEvents, {
      params: { id },
      query: { ...filters, ...(after === null ? {} : { after }) },
    });
    // The endpoint has the newest first; a terminal has it last.
    for (const event of page.events.toReversed()) printEvent(context, event);
    after = page.cursor;
    if (!input.has('follow')) break;
    await sleep(Math.max(0, Math.min(LOOK_EVERY_MS, deadline - performance.now())), context.interrupted);
  } while (!context.interrupted.aborted && performance.now() < deadline);
  return EXIT.ok;
};

function filtersOf(input: Input) {
  const text = (name: string, key: string) => {
    const value = input.text(name);
    return value === null ? {} : { [key]: value };
  };
  const level = input.choice('level', tailEvents.query.properties.level.enum);
  const type = input.choice('type', eventTypes);
  return {
    ...(level === null ? {} : { level }),
    ...(type === null ? {} : { type }),
    ...text('service', 'service'),
    ...text('environment', 'environment'),
    ...text('search', 'q'),
  };
}

function printEvent(context: Context, event: TailEvent): void {
  const { terminal, globals } = context;
  if (globals.json) {
    terminal.out(`${visibleJson(event)}\n`);
    return;
  }
  if (globals.quiet) {
    printLines(context, [event.event_id]);
    return;
  }
  const { received_at, level, service, environment, event_type, text } = event;
  const place = `${service}/${environment}`;
  const time = shownTime(received_at, globals.localTime).slice(11, 23);
  const line = `${time}  ${(level ?? '-').padEnd(LEVEL_WIDTH)}${place}  ${event_type}  ${text}`;
  printLines(context, [
    terminal.isOutTerminal ? cutLine(visibleLine(line), terminal.width) : visibleLine(line),
  ]);
}
