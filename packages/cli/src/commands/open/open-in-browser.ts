import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printLines, say } from '../../output/print.ts';

/** Opens an address in the browser of an interactive user; prints it for all others. */
export async function openInBrowser(context: Context, url: string, isPrinted = false): Promise<ExitCode> {
  if (isPrinted || !context.terminal.isInteractive) {
    printLines(context, [url]);
    return EXIT.ok;
  }
  await showInBrowser(context, url);
  say(context, `Opened ${url}`);
  return EXIT.ok;
}

/** Hands an address to the browser that `BROWSER` names, else to that of the desktop. */
export async function showInBrowser({ environment }: Context, url: string): Promise<void> {
  const { default: open } = await import('open');
  const browser = environment.BROWSER;
  await open(url, browser === undefined || browser === '' ? {} : { app: { name: browser } });
}
