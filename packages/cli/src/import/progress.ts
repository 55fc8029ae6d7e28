import type { Context } from '../context.ts';
import { startLiveLine } from '../output/live-line.ts';
import type { ImportState } from './import-state.ts';

/** Shows the progress of an import. */
interface Progress {
  update(state: ImportState): void;
  say(text: string): void;
  end(): void;
}

/**
 * @param totalBytes of the file, when it is known
 * @param before what earlier runs of the same import did, which took none of the time of this one
 */
export function startProgress(
  context: Context,
  totalBytes: number | null,
  before: Pick<ImportState, 'accepted' | 'rejected' | 'offset'>,
): Progress {
  const start = { events: before.accepted + before.rejected, offset: before.offset };
  const line = startLiveLine(context);
  return {
    update: ({ accepted, rejected, offset }) =>
      line.tell((seconds) => {
        const perSecond = (accepted + rejected - start.events) / seconds;
        const isKnown = totalBytes !== null && totalBytes > 0;
        const share = isKnown ? `${Math.floor((offset / totalBytes) * 100)} %, ` : '';
        const left =
          isKnown && offset > start.offset
            ? `, ${Math.ceil(((totalBytes - offset) / (offset - start.offset)) * seconds)} s left`
            : '';
        return `${share}${accepted} accepted, ${rejected} rejected, ${Math.round(perSecond)} a second${left}`;
      }),
    say: line.say,
    end: line.end,
  };
}
