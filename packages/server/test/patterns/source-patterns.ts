import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';

const PACKAGES = join(import.meta.dirname, '../../..');

/** A regular expression of the code, and where it stands. */
interface SourcePattern {
  /** From `packages`. */
  file: string;
  pattern: RegExp;
}

/** What the code of the service, the evidence, the contract, the source maps, the command line, the client libraries and the reader of notes holds of regular expressions. */
interface SourcePatterns {
  literals: readonly SourcePattern[];
  /** Files that make some out of texts, which cannot be read here. */
  constructing: readonly string[];
}

export function readSourcePatterns(): SourcePatterns {
  const literals: SourcePattern[] = [];
  const constructing = new Set<string>();
  const files = globSync(
    [
      '{server,evidence,contract,cli,source-maps,sdk-core,sdk-browser}/src/**/*.ts',
      // Notes, which everyone in a project writes and reads.
      'dashboard/src/incident/story/note-text/*.ts',
    ],
    { cwd: PACKAGES },
  ).sort();
  for (const file of files) {
    visit(parseAst(readFileSync(join(PACKAGES, file), 'utf8'), { lang: 'ts' }), (node) => {
      if ('regex' in node && isRegex(node.regex)) {
        const { pattern, flags } = node.regex;
        literals.push({ file, pattern: new RegExp(pattern, flags) });
      }
      const callee = 'callee' in node ? node.callee : null;
      if (isNode(callee) && 'name' in callee && callee.name === 'RegExp') constructing.add(file);
    });
  }
  return { literals, constructing: [...constructing] };
}

function visit(value: unknown, see: (node: object) => void): void {
  if (!isNode(value)) return;
  see(value);
  for (const each of Object.values(value)) visit(each, see);
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof RegExp);
}

function isRegex(value: unknown): value is { pattern: string; flags: string } {
  return isNode(value) && 'pattern' in value && 'flags' in value;
}
