import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type FolderOptions, type FolderResult, injectFolders } from '../../src/source-maps/inject-folder.ts';

/** A folder with these files, as a build leaves it. */
export function builtFolder(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-built-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

export function inject(folder: string, options: Partial<FolderOptions> = {}): FolderResult {
  return injectFolders({
    roots: ['.'],
    directory: folder,
    release: null,
    injects: true,
    takesComments: false,
    isDryRun: false,
    signal: new AbortController().signal,
    ...options,
  });
}

export function textOf(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

/** A map in which every word of a script leads to itself, in the source `in.ts`. */
export function wordMap(
  script: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    version: 3,
    sources: ['in.ts'],
    sourcesContent: [script],
    names: [],
    ...wordMappings(script),
    ...more,
  };
}

function wordMappings(script: string): { mappings: string } {
  let before = { line: 0, column: 0 };
  const lines = script.split('\n').map((text, line) => {
    let generated = 0;
    return [...text.matchAll(/[A-Za-z_$][\w$]*/g)]
      .map(({ index: column }) => {
        const fields = [column - generated, 0, line - before.line, column - before.column];
        generated = column;
        before = { line, column };
        return fields.map(vlq).join('');
      })
      .join(',');
  });
  return { mappings: lines.join(';') };
}

function vlq(value: number): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = '';
  do {
    const more = rest > 31 ? 32 : 0;
    text += digits[(rest & 31) | more];
    rest >>>= 5;
  } while (rest > 0);
  return text;
}

/** Words of a script whose map leads to another word, as `line:column word`; words without a segment are passed over. */
export function misplacedWords(
  script: string,
  map: object,
  source: string,
): { words: number; wrong: string[] } {
  // The map is data of a test, and Node checks what it reads.
  const read = new SourceMap(JSON.parse(JSON.stringify(map)));
  const original = source.split('\n');
  const wrong: string[] = [];
  let words = 0;
  for (const [line, text] of script.split('\n').entries()) {
    for (const { index: column, 0: word } of text.matchAll(/[A-Za-z_$][\w$]*/g)) {
      const entry = read.findEntry(line, column);
      if (!('generatedLine' in entry) || entry.generatedLine !== line || entry.generatedColumn !== column)
        continue;
      words += 1;
      const target = original[entry.originalLine]?.slice(entry.originalColumn);
      if (target?.startsWith(word) !== true) wrong.push(`${line}:${column} ${word}`);
    }
  }
  return { words, wrong };
}

/** A script whose map is known. */
export const CODE = 'var first = 1;\nfunction fail() { throw new Error("x" + first); }\nout = typeof fail;\n';

/** The hash of a text as `integrity` writes it. */
export const sha = (name: string, text: string) =>
  `${name}-${createHash(name).update(text).digest('base64')}`;
