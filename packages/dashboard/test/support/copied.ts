import type { Page } from 'playwright-core';
import { soon } from './soon.ts';

/** What keys put on the clipboard. The page needs the permissions `clipboard-read` and `clipboard-write`. */
export async function copiedBy(page: Page, ...keys: readonly string[]): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  for (const key of keys) await page.keyboard.press(key);
  const read = () => page.evaluate(() => navigator.clipboard.readText());
  await soon(read).not.toBe('');
  return await read();
}
