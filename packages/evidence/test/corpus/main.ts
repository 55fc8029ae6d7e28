import { statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFolder } from './read-folder.ts';
import { type Row, survey } from './survey.ts';
import { surveyPage } from './survey-page.ts';

/** npm run corpus -- <folder> [--page <file.html>]: how the stacks and logs of a folder are read, and what fuses or splits. */
const USAGE = 'Usage: npm run corpus -- <folder> [--page <file.html>]';
const { positionals, values } = parseArgs({ allowPositionals: true, options: { page: { type: 'string' } } });
const [root] = positionals;
if (root === undefined || positionals.length > 1) stop(USAGE);
if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) stop(`${root} is no folder. ${USAGE}`);

const { events, skipped } = readFolder(root);
const found = survey(events);
const page = values.page ?? join(tmpdir(), 'culprit-corpus.html');
writeFileSync(page, surveyPage(found));

const COLUMNS = [
  ['file', 44, (row: Row) => row.name],
  ['reader', 8, (row: Row) => row.reading.reader],
  ['type', 24, (row: Row) => row.reading.type],
  ['title', 44, (row: Row) => row.reading.title],
  ['first frame', 44, (row: Row) => row.frame],
  ['frames', 9, (row: Row) => `${row.reading.frameCount}/${row.reading.lineCount}`],
  ['key', 8, (row: Row) => row.key],
] as const;
console.log(COLUMNS.map(([title, width]) => title.padEnd(width)).join('  '));
for (const row of found.rows) {
  console.log(COLUMNS.map(([, width, cell]) => cut(cell(row), width).padEnd(width)).join('  '));
}
console.log(`\n${found.rows.length} events have ${found.keyCount} keys.`);
report('Not read', found.unread, ({ name }) => name);
report('Fused', found.fused, ({ key, truths }) => `${key}: ${truths.join(' + ')}`);
report('Split', found.split, ({ truth, keys }) => `${truth}: ${keys.join(', ')}`);
report('Never grouped', found.ungrouped, (name) => name);
report('Skipped', skipped, ({ name, reason }) => `${name} ${reason}`);
console.log(`\nPage: ${page}`);

function report<T>(title: string, items: readonly T[], text: (item: T) => string): void {
  if (items.length === 0) return;
  console.log(`\n${title}: ${items.length}`);
  for (const item of items) console.log(`  ${plain(text(item))}`);
}

function cut(text: string, width: number): string {
  const line = plain(text);
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

/** What a terminal would obey is left out. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}
