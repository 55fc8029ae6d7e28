import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { say } from '../../output/print.ts';
import { sleep } from '../../sleep.ts';
import { changesSince, type Look, lookAt } from '../tail/poll-incidents.ts';
import { printTailLine, tailLineOf } from '../tail/tail-line.ts';
import { readLocal } from './local-files.ts';

const LOOK_EVERY_MS = 500;

/** Looks at the directory again and again; what changed is a line. */
export const run: Run = async (context, input) => {
  const forMs = input.durationMs('for');
  const max = input.number('max');
  const deadline = forMs === null ? Number.POSITIVE_INFINITY : performance.now() + forMs;
  let before: Look | null = null;
  let lines = 0;
  say(context, 'Following. Ctrl-C ends it.');
  while (!context.interrupted.aborted && performance.now() < deadline) {
    const { incidents } = readLocal(context, input).local;
    for (const incident of before === null ? [] : incidents.toReversed()) {
      for (const kind of before === null ? [] : changesSince(before, incident)) {
        printTailLine(context, tailLineOf(incident, kind));
        lines += 1;
        if (max !== null && lines >= max) return EXIT.ok;
      }
    }
    before = lookAt(incidents, { hasMore: false, before: null });
    await sleep(LOOK_EVERY_MS, context.interrupted);
  }
  return EXIT.ok;
};
