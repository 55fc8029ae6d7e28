import { debugIdOf } from '@culprit/contract/releases/debug-id';
import { isObject, type JsonObject } from '../config/json-file.ts';

/** A source map as its file has it. */
export interface MapFile {
  /** A byte order mark, and a line with `)]}'` against inclusion as a script. */
  prefix: string;
  map: JsonObject;
}

/**
 * The key that stays in a map whose lines were moved for a registration, so that an interrupted run does not move them
 * again.
 */
const MOVED = 'x_culprit_line';

/** The map, or null when the text is no JSON object. */
export function parseMap(text: string): MapFile | null {
  const prefix = /^\uFEFF?(?:\)\]\}'[^\n{]{0,200}(?:\n|(?=\{)))?/.exec(text)?.[0] ?? '';
  try {
    const map: unknown = JSON.parse(text.slice(prefix.length));
    return isObject(map) ? { prefix, map } : null;
  } catch {
    return null;
  }
}

export function mapText({ prefix, map }: MapFile): string {
  return prefix + JSON.stringify(map);
}

/** The map's debug id as a UUID in lower case. */
export function idOfMap(map: JsonObject): string | null {
  for (const value of [map.debugId, map.debug_id]) {
    const id = typeof value === 'string' ? debugIdOf(value) : null;
    if (id !== null) return id;
  }
  return null;
}

/** Returns true if any segment may name a source. */
export function mapsAnything(map: JsonObject): boolean {
  if (Array.isArray(map.sections)) {
    return map.sections.some(
      (section) => isObject(section) && (!isObject(section.map) || mapsAnything(section.map)),
    );
  }
  return typeof map.mappings === 'string' && /[^;,]/.test(map.mappings);
}

/** The map of the same file with one more line at the 0-based `line`. */
export function withLine(map: JsonObject, line: number): JsonObject {
  if (map[MOVED] === true) return map;
  return { ...moved(map, line), [MOVED]: true };
}

function moved(map: JsonObject, line: number): JsonObject {
  // Ranges of the scopes proposal begin at lines too; no tool reads wrong ones when there are none.
  const { scopes: _, ...result } = map;
  if (Array.isArray(map.sections)) {
    result.sections = map.sections.map((section) => movedSection(section, line));
    return result;
  }
  for (const key of ['mappings', 'rangeMappings']) {
    const value = result[key];
    if (typeof value === 'string') result[key] = withEmptyLine(value, line);
  }
  return result;
}

function movedSection(section: unknown, line: number): unknown {
  if (!isObject(section) || !isObject(section.offset) || typeof section.offset.line !== 'number')
    return section;
  const { offset } = section;
  if (section.offset.line >= line)
    return { ...section, offset: { ...offset, line: section.offset.line + 1 } };
  return isObject(section.map)
    ? { ...section, map: moved(section.map, line - section.offset.line) }
    : section;
}

/** Lines of `mappings` end with semicolons, and only columns restart with a line. */
function withEmptyLine(lines: string, line: number): string {
  let at = 0;
  for (let passed = 0; passed < line; passed += 1) {
    const end = lines.indexOf(';', at);
    if (end < 0) return lines;
    at = end + 1;
  }
  return `${lines.slice(0, at)};${lines.slice(at)}`;
}
