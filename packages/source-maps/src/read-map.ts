import { debugIdOf } from '@culprit/contract/releases/debug-id';
import { MapFault } from './map-fault.ts';
import { JsonScanner, type JsonSlice } from './scan-json.ts';

/** One map, or one section of an index map, with its parts still in the bytes. */
export interface MapSection {
  /** The beginning of its places in the generated file, from 0. */
  line: number;
  column: number;
  root: string | null;
  sources: readonly (string | null)[];
  names: readonly string[];
  ignored: ReadonlySet<number>;
  mappings: Buffer;
  /** Null where the map has no texts. */
  texts: JsonSlice | null;
  /** `rangeMappings`; null where there are none. */
  ranges: Buffer | null;
  /** `x_facebook_sources`; null where there are none. */
  functions: JsonSlice | null;
}

/** A map whose members were found. */
export interface ReadMap {
  scanner: JsonScanner;
  sections: readonly MapSection[];
  /** The id as a UUID: `debugId`, else `debug_id`; null for one that is none. */
  debugId: string | null;
  /** Members that nothing reads yet, as JSON; null where there are none or they are too large. */
  rest: string | null;
}

export const SOURCES_MAX = 100_000;
export const NAMES_MAX = 1_000_000;
const SECTIONS_MAX = 100_000;
const REST_BYTES_MAX = 1_048_576;
const PLACE_MAX = 2_147_483_647;

/** Members that are read, or that only repeat what is known. */
const KNOWN = new Set([
  ...['version', 'file', 'sourceRoot', 'sources', 'sourcesContent', 'names', 'mappings', 'sections'],
  ...['debugId', 'debug_id', 'ignoreList', 'x_google_ignoreList', 'rangeMappings', 'x_facebook_sources'],
]);

/**
 * Finds the parts of a map (docs/contract/source-maps.md 4.1).
 * @throws MapFault
 */
export function readMap(bytes: Buffer): ReadMap {
  const scanner = new JsonScanner(bytes);
  const start = startOfJson(bytes);
  const members = membersOf(scanner, start, 0);
  requireEnd(bytes, members, start, scanner);
  const versionSlice = members.get('version');
  const version = versionSlice === undefined ? undefined : scanner.parse(versionSlice);
  if (version !== 3 && version !== '3') {
    throw new MapFault(
      'not_version_3',
      version === undefined ? 'none' : JSON.stringify(version).slice(0, 40),
    );
  }
  const named = members.get('sections');
  const sections = named !== undefined && scanner.isNull(named) ? undefined : named;
  return {
    scanner,
    sections:
      sections === undefined ? [readSection(scanner, members, 0, 0)] : readSections(scanner, sections),
    debugId: idOf(textOf(scanner, members, 'debugId')) ?? idOf(textOf(scanner, members, 'debug_id')),
    rest: restOf(scanner, members),
  };
}

/** With what bytes begin that are no JSON, or what they are, where they show it: the detail of `not_json`. */
export function beginningOf(bytes: Buffer): string {
  const start = startOfJson(bytes);
  const shown = bytes.toString('utf8', start, Math.min(bytes.length, start + 48));
  return (
    encodingOf(bytes) ??
    [...shown]
      .slice(0, 12)
      .join('')
      .replaceAll(/[\p{Cc}\ufffd]/gu, '·')
  );
}

function encodingOf(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, 4);
  if (start.startsWith('\x1f\x8b')) return 'gzip';
  if (start === '\x28\xb5\x2f\xfd') return 'zstd';
  return start.startsWith('\xff\xfe') || start.startsWith('\xfe\xff') ? 'UTF-16' : null;
}

/** Behind a byte order mark, and a first line that keeps browsers from running the map. */
function startOfJson(bytes: Buffer): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (bytes.toString('latin1', at, at + 4) === ")]}'") {
    const lineEnd = bytes.indexOf('\n', at);
    const brace = bytes.indexOf('{', at);
    at = lineEnd !== -1 && (brace === -1 || lineEnd < brace) ? lineEnd + 1 : brace === -1 ? at : brace;
  }
  while (at < bytes.length && ' \n\r\t'.includes(String.fromCharCode(bytes[at] ?? 0))) at += 1;
  return at;
}

/** The members of an object; of two with one name the last one counts, as where JSON is parsed. */
function membersOf(scanner: JsonScanner, start: number, depth: number): Map<string, JsonSlice> {
  const members = new Map<string, JsonSlice>();
  for (const { name, value } of scanner.members(start, depth)) members.set(name, value);
  return members;
}

/** Nothing but blanks follows the object. */
function requireEnd(
  bytes: Buffer,
  members: Map<string, JsonSlice>,
  start: number,
  scanner: JsonScanner,
): void {
  let last = start;
  for (const { end } of members.values()) last = Math.max(last, end);
  const end = members.size === 0 ? scanner.skip(start, 0) : bytes.indexOf('}', last) + 1;
  if (end === 0 || bytes.toString('latin1', end, Math.min(bytes.length, end + 4096)).trim() !== '') {
    throw new MapFault('not_json', '');
  }
}

function readSections(scanner: JsonScanner, slice: JsonSlice): MapSection[] {
  if (!scanner.isList(slice)) throw bad('its sections are no list');
  const sections: MapSection[] = [];
  for (const element of scanner.elements(slice)) {
    if (sections.length >= SECTIONS_MAX)
      throw new MapFault('map_too_large', `more than ${SECTIONS_MAX} sections`);
    if (!scanner.isObject(element)) throw bad('a section of it is no object');
    const members = membersOf(scanner, element.start, 2);
    const offset = members.get('offset');
    const map = members.get('map');
    if (offset === undefined || map === undefined || !scanner.isObject(map)) {
      throw bad(`section ${sections.length + 1} has no offset or no map`);
    }
    const [line, column] = offsetOf(scanner.parse(offset), sections.length + 1);
    const inner = membersOf(scanner, map.start, 3);
    const nested = inner.get('sections');
    if (nested !== undefined && !scanner.isNull(nested))
      throw bad(`section ${sections.length + 1} has sections itself`);
    sections.push(readSection(scanner, inner, line, column));
  }
  return sections.sort((a, b) => a.line - b.line || a.column - b.column);
}

function offsetOf(value: unknown, number: number): [number, number] {
  if (typeof value === 'object' && value !== null && 'line' in value && 'column' in value) {
    const { line, column } = value;
    if (isPlace(line) && isPlace(column)) return [line, column];
  }
  throw bad(`the offset of section ${number} is no line and column`);
}

function isPlace(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= PLACE_MAX;
}

function readSection(
  scanner: JsonScanner,
  members: Map<string, JsonSlice>,
  line: number,
  column: number,
): MapSection {
  const mappings = members.get('mappings');
  if (mappings !== undefined && !scanner.isNull(mappings) && !scanner.isString(mappings))
    throw bad('its mappings are no text');
  const texts = members.get('sourcesContent');
  const ranges = members.get('rangeMappings');
  const functions = members.get('x_facebook_sources');
  const sources = listOf(scanner, members, 'sources', SOURCES_MAX);
  const names = listOf(scanner, members, 'names', NAMES_MAX);
  const ignored = [
    ...listOf(scanner, members, 'ignoreList', SOURCES_MAX),
    ...listOf(scanner, members, 'x_google_ignoreList', SOURCES_MAX),
  ];
  return {
    line,
    column,
    root: textOf(scanner, members, 'sourceRoot'),
    sources: sources.map((source) => (typeof source === 'string' ? source : null)),
    names: names.map(nameOf),
    ignored: new Set(ignored.filter(isPlace)),
    mappings:
      mappings !== undefined && scanner.isString(mappings) ? scanner.textBytes(mappings) : Buffer.alloc(0),
    texts: texts !== undefined && scanner.isList(texts) ? texts : null,
    ranges: ranges !== undefined && scanner.isString(ranges) ? scanner.textBytes(ranges) : null,
    functions: functions !== undefined && scanner.isList(functions) ? functions : null,
  };
}

/** Older compilers wrote numbers as names; what else is there names nothing. */
function nameOf(name: unknown): string {
  return typeof name === 'string' || typeof name === 'number' ? `${name}` : '';
}

function listOf(scanner: JsonScanner, members: Map<string, JsonSlice>, name: string, max: number): unknown[] {
  const slice = members.get(name);
  if (slice === undefined || !scanner.isList(slice)) return [];
  const list = scanner.parse(slice);
  if (!Array.isArray(list)) return [];
  if (list.length > max) throw new MapFault('map_too_large', `${list.length} ${name}; the limit is ${max}`);
  return list;
}

function textOf(scanner: JsonScanner, members: Map<string, JsonSlice>, name: string): string | null {
  const slice = members.get(name);
  if (slice === undefined || !scanner.isString(slice)) return null;
  const text = scanner.parse(slice);
  return typeof text === 'string' ? text : null;
}

function restOf(scanner: JsonScanner, members: Map<string, JsonSlice>): string | null {
  const entries = [...members].filter(([name]) => !KNOWN.has(name));
  const size = entries.reduce((sum, [, { start, end }]) => sum + end - start, 0);
  if (entries.length === 0 || size > REST_BYTES_MAX) return null;
  return JSON.stringify(entries.map(([name, slice]) => [name, scanner.parse(slice)]));
}

function idOf(text: string | null): string | null {
  return text === null ? null : debugIdOf(text);
}

function bad(detail: string): MapFault {
  return new MapFault('bad_mappings', detail);
}
