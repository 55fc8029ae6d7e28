import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { parseAst } from 'vitest/node';
import { ROOT } from '../lanes/test-files.ts';

/** A text that a user may read, and its place. */
export interface UserText {
  file: string;
  line: number;
  /** White space is one blank; what is computed at run time is `…`. */
  text: string;
}

/** SQL, styles and lists of words are texts of the program for itself. */
const NO_SENTENCE =
  /\b(?:select|insert into|update \w+ (?:\w+ )?set|delete from|order by|left join|create (?:table|index))\b|\{[^}]*:[^}]*;|^(?:[a-z]+ ){20}|(?:\b[a-z]+[A-Z]\w*\b[^.]*?){4}|^# bash completion/;
/** A place in a sentence: two words, of which one is of letters alone. */
const SENTENCE = /\S\s+\S/;

/** The sources of our programs and libraries. */
const SOURCES = [
  'packages/{cli,contract,dashboard,evidence,mcp,sdk-core,sdk-node,sdk-browser,server,source-maps}/src/**/*.{ts,tsx}',
  'demo/**/*.ts',
  'scripts/**/*.{mjs,ts}',
];

/** The texts for people who read and do not call. */
const DOCUMENTS = [
  'README.md',
  'examples/README.md',
  'packages/{cli,mcp,sdk-core,sdk-node,sdk-browser,source-maps}/README.md',
  'docs/{agents,command-line,command-line-reference,configuration,grouping,libraries,operations,plans,scaling,source-maps,switching}.md',
];

/** Every literal text of source files that may be read: sentences, and the labels of the dashboard. */
export function textsOfSources(patterns: readonly string[] = SOURCES): UserText[] {
  return filesOf(patterns).flatMap((file) => textsOf(file, readFileSync(join(ROOT, file), 'utf8')));
}

/** The literal texts of a source file; comments, imports and types are none. */
export function textsOf(file: string, source: string): UserText[] {
  const found: UserText[] = [];
  const starts = lineStarts(source);
  const add = (offset: number, raw: string): void => {
    const text = raw.replaceAll(/\s+/g, ' ').trim();
    if (!NO_SENTENCE.test(text)) found.push({ file, line: lineOf(starts, offset), text });
  };
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }), (node) => {
    const { type, start, value, quasis } = node;
    if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration' || type.startsWith('TSType'))
      return false;
    if (type === 'ImportExpression' || type === 'TSLiteralType' || type === 'TSInterfaceDeclaration')
      return false;
    if ((type === 'Literal' || type === 'JSXText') && typeof value === 'string') add(Number(start), value);
    if (type === 'TemplateLiteral' && Array.isArray(quasis))
      add(Number(start), quasis.map(cookedOf).join('…'));
    return true;
  });
  return found;
}

/** The lines of documents, without code and addresses. */
export function textsOfDocuments(): UserText[] {
  return filesOf(DOCUMENTS).flatMap((file) => {
    let isCode = false;
    return readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index): UserText[] => {
        if (line.trimStart().startsWith('```')) isCode = !isCode;
        const text = line.replaceAll(/`[^`]*`|\]\([^)]*\)/g, '…');
        return isCode ? [] : [{ file, line: index + 1, text }];
      });
  });
}

/** Summaries and descriptions of the API. */
export function textsOfApi(): UserText[] {
  const file = 'docs/openapi.json';
  const found: UserText[] = [];
  const walk = (value: unknown, key: string): void => {
    if (typeof value === 'string' && (key === 'description' || key === 'summary')) {
      found.push({ file, line: 1, text: value });
    } else if (Array.isArray(value)) for (const each of value) walk(each, key);
    else if (isJsonObject(value)) for (const [name, each] of Object.entries(value)) walk(each, name);
  };
  walk(JSON.parse(readFileSync(join(ROOT, file), 'utf8')), '');
  return found;
}

export function isSentence({ text }: UserText): boolean {
  return SENTENCE.test(text);
}

function filesOf(patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: ROOT, exclude: (name) => /(?:^|\/)node_modules$/.test(String(name)) })
    .filter((file) => !file.endsWith('.d.ts'))
    .sort();
}

function cookedOf(quasi: unknown): string {
  return isNode(quasi) && isJsonObject(quasi.value) ? String(quasi.value.cooked ?? '') : '';
}

interface Node extends Record<string, unknown> {
  type: string;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function visit(value: unknown, see: (node: Node) => boolean): void {
  if (Array.isArray(value)) for (const each of value) visit(each, see);
  else if (isNode(value) && see(value)) {
    for (const [key, each] of Object.entries(value)) if (key !== 'quasis') visit(each, see);
  }
}

function lineStarts(source: string): number[] {
  return [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

function lineOf(starts: readonly number[], offset: number): number {
  const next = starts.findIndex((start) => start > offset);
  return next === -1 ? starts.length : next;
}
