import { existsSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { isObject } from '../config/json-file.ts';
import type { ApplicationFolder } from './application.ts';

const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/** The file that starts the application: the one that its manifest runs, else the first of the patterns that is there. */
export function findEntryFile(
  { directory, manifest }: ApplicationFolder,
  patterns: readonly string[],
): string | null {
  const candidates = [...startedFiles(manifest ?? {}), ...patterns.flatMap(expandChoices)];
  return (
    candidates.find((path) => SOURCE.test(path) && isBelow(path) && existsSync(join(directory, path))) ?? null
  );
}

/** Files that the scripts `start` and `dev` name, and the main file of the package. */
function startedFiles({ scripts, main }: Readonly<Record<string, unknown>>): string[] {
  const commands = isObject(scripts) ? [scripts.start, scripts.dev] : [];
  const words = commands.flatMap((each) => (typeof each === 'string' ? each.split(/\s+/) : []));
  const found = [...words.filter((word) => SOURCE.test(word)), ...(typeof main === 'string' ? [main] : [])];
  return found.map((path) => normalize(path));
}

function isBelow(path: string): boolean {
  return !isAbsolute(path) && !path.startsWith('..') && !path.startsWith('dist/');
}

/** Returns the patterns for the choices of `{a,b}` in a pattern. */
function expandChoices(pattern: string): string[] {
  const [whole, choices = ''] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (whole === undefined) return [pattern];
  return choices.split(',').flatMap((choice) => expandChoices(pattern.replace(whole, () => choice)));
}

/** Returns whether a file is a module or CommonJS: by its name, its package, and in doubt by its content. */
export function moduleKind(
  path: string,
  source: string,
  manifest: Readonly<Record<string, unknown>> | null,
): 'esm' | 'cjs' {
  if (/\.c[jt]s$/.test(path)) return 'cjs';
  if (/\.m[jt]s$/.test(path) || manifest?.type === 'module') return 'esm';
  return /^(?:import[ *{'"]|export[ *{])/m.test(source) ? 'esm' : 'cjs';
}

/** A directive such as 'use strict', alone on its line. */
const DIRECTIVE = /^(?:'[^'\\]*'|"[^"\\]*");?$/;

/** The source with a line at its top: behind the line for the shell and the directives, which have to stay first. */
export function withLineOnTop(source: string, line: string): string {
  const lines = source.split('\n');
  const first = lines[0]?.startsWith('#!') === true ? 1 : 0;
  let place = first;
  let isComment = false;
  for (let index = first; index < lines.length; index += 1) {
    const text = lines[index]?.trim() ?? '';
    if (isComment || text.startsWith('/*')) isComment = !text.includes('*/');
    else if (DIRECTIVE.test(text)) place = index + 1;
    else if (text !== '' && !text.startsWith('//')) break;
  }
  const ending = source.includes('\r\n') ? '\r' : '';
  return lines.toSpliced(place, 0, `${line}${ending}`).join('\n');
}
