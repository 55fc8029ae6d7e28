import { DIGITS, NO_DIGIT } from './base64-digits.ts';
import { storableName } from './storable-text.ts';

/** The names of the functions of one source, as Metro writes them into `x_facebook_sources`. */
export interface FunctionMap {
  names: readonly string[];
  mappings: string;
}

/** Returns the map of functions in a member of `x_facebook_sources`, or null if it has none. */
export function functionMapOf(value: unknown): FunctionMap | null {
  const first: unknown = Array.isArray(value) ? value[0] : null;
  if (typeof first !== 'object' || first === null || !('names' in first) || !('mappings' in first))
    return null;
  const { names, mappings } = first;
  if (!Array.isArray(names) || typeof mappings !== 'string') return null;
  return { names: names.map((name) => (typeof name === 'string' ? name : '')), mappings };
}

/**
 * The name of the function at a place, which counts from 0; null before the first and where the map cannot be read.
 * Columns are differences in a line, names in all, lines (from 1) in the first mapping of a line.
 */
export function functionOf({ names, mappings }: FunctionMap, line: number, column: number): string | null {
  let found: number | null = null;
  let name = 0;
  let atLine = 1;
  for (const group of mappings.split(';')) {
    let atColumn = 0;
    for (const mapping of group.split(',')) {
      if (mapping === '') continue;
      const [columns, nameDelta, lines = 0] = numbersOf(mapping);
      if (columns === undefined || nameDelta === undefined) return null;
      atLine += lines;
      atColumn += columns;
      name += nameDelta;
      if (atLine - 1 > line || (atLine - 1 === line && atColumn > column)) return shown(names, found);
      found = name;
    }
  }
  return shown(names, found);
}

function shown(names: readonly string[], index: number | null): string | null {
  const name = index === null ? undefined : names[index];
  if (name === undefined || name === '') return null;
  return name === '<global>' ? '<module>' : storableName(name.replaceAll('#', '.'));
}

function numbersOf(text: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digit = DIGITS[text.charCodeAt(at)] ?? NO_DIGIT;
    if (digit === NO_DIGIT || shift > 30) return [];
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push(value % 2 === 1 ? -Math.floor(value / 2) : value / 2);
    value = 0;
    shift = 0;
  }
  return numbers;
}
