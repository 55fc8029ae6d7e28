import { readFileSync } from 'node:fs';
import { SENTRY_ITEMS } from '@culprit/contract/sentry-items';
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

it('F-80 the page about switching says of each item whether it is taken, as intake has it', () => {
  const rows = rowsOf('Item', 'Content', 'Taken');
  const said = rows.map(([item, content, taken]) => [item, content, taken !== 'no']);
  const items = Object.entries(SENTRY_ITEMS).map(([type, { content, isTaken }]) => [
    `\`${type}\``,
    content,
    isTaken,
  ]);
  expect(said).toEqual([...items, ['anything else', '', false]]);
});

it('F-80 the page has the line of every language of the chapter', () => {
  const chapter = readFileSync(
    new URL('../../../../docs/contract/foreign-protocols.md', import.meta.url),
    'utf8',
  );
  const lines = [
    ...(chapter.split('## 15.')[1]?.split('## 16.')[0] ?? '').matchAll(/`([^`\n]*<dsn>[^`\n]*)`/g),
  ];
  expect(lines.length).toBeGreaterThan(8);
  for (const [, line = ''] of lines) expect(PAGE).toContain(line);
});
