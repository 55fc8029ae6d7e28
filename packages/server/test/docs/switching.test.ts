import { readFileSync } from 'node:fs';
import { SENTRY_ITEMS } from '@culprit/contract/events/sentry-items';
import { FOREIGN_PLATFORMS } from '@culprit/contract/setup/setup-platforms';
import { expect, it } from 'vitest';

const PAGE = readFileSync(new URL('../../../../docs/switching.md', import.meta.url), 'utf8');

/** The rows of the one table with these heads. */
function rowsOf(...heads: string[]): string[][] {
  const table = PAGE.split(`| ${heads.join(' | ')} |\n`)[1]?.split('\n\n')[0] ?? '';
  return table
    .split('\n')
    .slice(1)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

// F-80
it('the page about switching says of each item whether it is taken, as intake has it', () => {
  const rows = rowsOf('Item', 'Content', 'Taken');
  const said = rows.map(([item, content, taken]) => [item, content, taken !== 'no']);
  const items = Object.entries(SENTRY_ITEMS).map(([type, { content, isTaken }]) => [
    `\`${type}\``,
    content,
    isTaken,
  ]);
  expect(said).toEqual([...items, ['anything else', '', false]]);
});

// F-80
it('the page has the line of every library that the setup page offers', () => {
  const page = PAGE.replaceAll('\\|', '|');
  const place = { token: '', dsn: '<dsn>', baseUrl: 'http://localhost', packages: null };
  const libraries = FOREIGN_PLATFORMS.filter(({ credential }) => credential === 'dsn');
  expect(libraries.length).toBeGreaterThan(8);
  for (const { steps } of libraries) expect(page).toContain(`\`${steps(place)[0]?.code}\``);
});
