/**
 * npm run figures: prints the product lines of each package and the number of comments whose words `plain-words.ts`
 * replaces, next to those of the last landing, and fails if a total has grown. `npm run figures -- --record` writes the
 * figures of a landing; if a total has grown, it needs the reason: `--record "Add alerts by SMS"`.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EVERYWHERE } from '../packages/server/test/architecture/plain-words.ts';

interface Figures {
  /** The reason given for the growth of the last landing; empty if nothing grew. */
  adds: string;
  comments: number;
  lines: Record<string, number>;
}

const ROOT = join(import.meta.dirname, '..');
const FILE = join(ROOT, 'scripts', 'figures.json');
/** Everything that people write and that is not a test. */
const PRODUCT = [
  'packages/*/{src,build,migrations}/**/*.{ts,tsx,css,html,js,mjs,sql}',
  '{bench,demo,examples,scripts}/**/*.{ts,tsx,css,html,js,mjs,sh}',
];
const IS_EXCLUDED = /(?:^|\/)(?:node_modules|dist|test|results)(?:\/|$)|\.d\.ts$/;
/** A comment of a line, or of several. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?:^[ \t]*(?:\/\/|--)[^\n]*\n)+/gm;
/** A doc comment is a sentence, or a noun with its article. */
const FRAGMENT = /^(?:What|Whether|Whose|Whom|Who|Where|When|Of|As|How)\b/;

const { values, positionals } = parseArgs({
  options: { record: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const last: Figures = JSON.parse(readFileSync(FILE, 'utf8'));
const now = count();
const hasGrown = print();
if (values.record) {
  const [adds = ''] = positionals;
  if (hasGrown && adds === '') fail('Say what the landing adds: npm run figures -- --record "Add …"');
  else writeFileSync(FILE, `${JSON.stringify({ adds, ...now }, null, 2)}\n`);
} else if (hasGrown) {
  fail('Remove something, or record what the landing adds: npm run figures -- --record "Add …"');
}

function count(): Omit<Figures, 'adds'> {
  const lines: Record<string, number> = {};
  let comments = 0;
  for (const path of globSync(PRODUCT, { cwd: ROOT, exclude: (name) => IS_EXCLUDED.test(String(name)) })) {
    if (IS_EXCLUDED.test(path)) continue;
    const text = readFileSync(join(ROOT, path), 'utf8');
    const [first = '', second = ''] = path.split('/');
    const name = first === 'packages' ? second : first;
    lines[name] = (lines[name] ?? 0) + text.split('\n').length - 1;
    for (const [comment] of text.matchAll(COMMENT)) if (isToRewrite(comment)) comments += 1;
  }
  const names = Object.keys(lines).sort();
  return { comments, lines: Object.fromEntries(names.map((name) => [name, lines[name] ?? 0])) };
}

function isToRewrite(comment: string): boolean {
  const text = comment
    .replaceAll(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/|--)[ \t]?|\s*\*\/$/gm, '')
    .replaceAll('\n', ' ');
  return FRAGMENT.test(text.trim()) || EVERYWHERE.some(({ not }) => not.test(text));
}

/** Returns true if a total has grown. */
function print(): boolean {
  const names = [...new Set([...Object.keys(last.lines), ...Object.keys(now.lines)])].sort();
  for (const name of names) row(name, now.lines[name] ?? 0, last.lines[name] ?? 0);
  row('product lines', total(now.lines), total(last.lines));
  row('comments to rewrite', now.comments, last.comments);
  return total(now.lines) > total(last.lines) || now.comments > last.comments;
}

function row(name: string, count: number, before: number): void {
  const change = count === before ? '' : `  ${count > before ? '+' : ''}${count - before}`;
  console.log(`${name.padEnd(22)}${String(count).padStart(8)}${change}`);
}

function total(lines: Record<string, number>): number {
  return Object.values(lines).reduce((sum, each) => sum + each, 0);
}

function fail(sentence: string): void {
  console.error(sentence);
  process.exitCode = 1;
}
