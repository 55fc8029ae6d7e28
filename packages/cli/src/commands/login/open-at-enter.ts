import { isLoopback } from '../../config/address.ts';
import type { Context } from '../../context.ts';
import { say } from '../../output/print.ts';
import { showInBrowser } from '../open/open-in-browser.ts';

/** Opens the page when the person presses Enter, after the code could be read. @returns ends the listening */
export function openAtEnter(context: Context, address: string): () => void {
  const { protocol, origin } = new URL(address);
  if (protocol !== 'https:' && !isLoopback(origin)) return () => {};
  say(context, 'Enter opens it in the browser.');
  const onEnter = () => {
    void showInBrowser(context, address).catch(() => say(context, 'No browser could be opened.'));
  };
  process.stdin.once('data', onEnter);
  process.stdin.resume();
  return () => {
    process.stdin.off('data', onEnter);
    process.stdin.pause();
  };
}
