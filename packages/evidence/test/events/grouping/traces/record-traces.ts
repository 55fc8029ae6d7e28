import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Runs the programs beside this file, each from two install roots and in two editions whose lines are shifted, and
 * writes the traces of their errors to `recorded-traces.json`. Run it with Node.js after a change of a program:
 * `node packages/evidence/test/events/grouping/traces/record-traces.ts`. Languages that are not installed are left out.
 */

interface Language {
  name: string;
  file: string;
  command: (file: string) => [string, ...string[]];
  /** A line that changes nothing, and after which line of the program it may stand. */
  shift: { text: string; after: number };
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'node',
    file: 'shop.js',
    command: (file) => [process.execPath, file],
    shift: { text: '//', after: 0 },
  },
  { name: 'python', file: 'shop.py', command: (file) => ['python3', file], shift: { text: '#', after: 0 } },
  { name: 'ruby', file: 'shop.rb', command: (file) => ['ruby', file], shift: { text: '#', after: 0 } },
  { name: 'php', file: 'shop.php', command: (file) => ['php', file], shift: { text: '//', after: 1 } },
  { name: 'perl', file: 'shop.pl', command: (file) => ['perl', file], shift: { text: '#', after: 0 } },
  { name: 'lua', file: 'shop.lua', command: (file) => ['lua5.4', file], shift: { text: '--', after: 0 } },
  { name: 'java', file: 'Shop.java', command: (file) => ['java', file], shift: { text: '//', after: 0 } },
  { name: 'go', file: 'shop.go', command: (file) => ['go', 'run', file], shift: { text: '//', after: 1 } },
];

const ROOTS = ['app', 'releases/20260324101500'];
const here = import.meta.dirname;
const work = mkdtempSync(join(tmpdir(), 'traces-'));
const recorded: unknown[] = [];

for (const language of LANGUAGES) {
  const lines = readFileSync(join(here, 'programs', language.file), 'utf8').split('\n');
  for (const [edition, root] of ROOTS.entries()) {
    const { text, after } = language.shift;
    const shifted = lines.toSpliced(after, 0, ...new Array<string>(edition * 7).fill(text));
    const file = join(work, root, 'shop', language.file);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, shifted.join('\n'));
    const [program, ...args] = language.command(file);
    try {
      const printed = execFileSync(program, args, { encoding: 'utf8', cwd: dirname(file) });
      for (const line of printed.trim().split('\n')) {
        // The directory of this run says nothing.
        recorded.push({ language: language.name, ...JSON.parse(line.replaceAll(work, '/srv')) });
      }
    } catch (error) {
      console.error(
        `${language.name} is left out: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}
rmSync(work, { recursive: true, force: true });
writeFileSync(join(here, 'recorded-traces.json'), `${JSON.stringify(recorded, null, 1)}\n`);
console.log(`${recorded.length} traces`);
