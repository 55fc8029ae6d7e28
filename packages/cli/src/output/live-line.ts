import type { Context } from '../context.ts';

/** Shows the progress of long work (docs/contract/command-line.md 2.8). */
interface LiveLine {
  /** @param text what is done after so many seconds; only asked for when it is shown */
  tell(text: (seconds: number) => string): void;
  /** Writes a separate line. */
  say(text: string): void;
  end(): void;
}

const LIVE_EVERY_MS = 200;
const LINE_EVERY_MS = 10_000;
/** Work that ends sooner needs no progress. */
const QUIET_MS = 1000;
const ERASE_LINE = '\r\u001b[2K';

/** One live line at a terminal, else a line every ten seconds; nothing with `--quiet`. */
export function startLiveLine({ terminal, globals }: Pick<Context, 'terminal' | 'globals'>): LiveLine {
  const startedAt = performance.now();
  let toldAt = startedAt;
  let isLive = false;
  const clear = () => {
    if (isLive) process.stderr.write(ERASE_LINE);
    isLive = false;
  };
  return {
    tell(text) {
      const now = performance.now();
      const pause = terminal.isErrTerminal ? LIVE_EVERY_MS : LINE_EVERY_MS;
      if (globals.quiet || now - startedAt < QUIET_MS || now - toldAt < pause) return;
      toldAt = now;
      const line = text((now - startedAt) / 1000);
      if (terminal.isErrTerminal) {
        process.stderr.write(`${ERASE_LINE}${line}`);
        isLive = true;
      } else {
        terminal.err(`${line}\n`);
      }
    },
    say(text) {
      clear();
      if (!globals.quiet) terminal.err(`${text}\n`);
    },
    end: clear,
  };
}
