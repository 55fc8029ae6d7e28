import { decodedPart } from '../map-keys.ts';
import type { NamedMap } from './names.queries.ts';

/** The result of the search for the map of a file among those of its release. */
type Choice =
  | { kind: 'found'; map: NamedMap }
  | { kind: 'ambiguous'; maps: readonly NamedMap[] }
  /** The base name is all that they share, and another host served it than that of the page. */
  | { kind: 'elsewhere'; map: NamedMap; host: string }
  | { kind: 'none' };

/**
 * The source map whose path has the longest common end with an address, where one of the two ends with all of the other
 * (docs/contract/source-maps.md 5.2). Host and query say nothing.
 * @param pageHost of the page, where the event names one: a file that shares its base name alone must be served by it
 */
export function chooseMap(address: string, maps: readonly NamedMap[], pageHost: string | null): Choice {
  const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(address)?.[1]?.toLowerCase() ?? null;
  const own = partsOf(address);
  let best: NamedMap[] = [];
  let length = 0;
  for (const map of maps) {
    const parts = partsOf(map.path);
    const common = commonEnd(own, parts);
    if (common === 0 || common < Math.min(own.length, parts.length)) continue;
    if (common > length) {
      best = [map];
      length = common;
    } else if (common === length) best.push(map);
  }
  const distinct = [...new Map(best.map((map) => [map.sourceMapId, map])).values()];
  const [map] = distinct;
  if (map === undefined) return { kind: 'none' };
  if (length === 1 && own.length > 1 && !hasHash(own.at(-1) ?? '') && isForeignHost(host, pageHost)) {
    return { kind: 'elsewhere', map, host };
  }
  return distinct.length === 1 ? { kind: 'found', map } : { kind: 'ambiguous', maps: distinct };
}

function isForeignHost(host: string | null, pageHost: string | null): host is string {
  return host !== null && host !== '' && pageHost !== null && host !== pageHost;
}

/** The hash that bundlers compute of a file's content is in the name of no file of another application. */
const HASH = /[-._]([\w-]{8,64})$/;
const ENDING = /(?:\.(?:chunk|bundle|min))?\.[cm]?js$/;

function hasHash(base: string): boolean {
  const [, end = ''] = ENDING.test(base) ? (HASH.exec(base.replace(ENDING, '')) ?? []) : [];
  return /[\dA-Z]/.test(end);
}

/** Clients put it in place of a scheme and host, or in front of them. */
const OF_CLIENT = /^app:\/\/\/(?=[a-z][a-z0-9+.-]*:\/\/)/i;

/** The parts of a path or an address, without scheme, host, port, query and drive. */
function partsOf(address: string): string[] {
  const [path = ''] = address
    .replace(OF_CLIENT, '')
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
    .split(/[?#]/, 1);
  return path
    .split(/[\\/]/)
    .filter((part) => part !== '' && part !== '.' && part !== '~' && !/^(?:[a-z]:|:\d{1,5})$/i.test(part))
    .map((part) => (part === NEXT_FOLDER ? NEXT_PATH : decodedPart(part)));
}

/** The folder of Next.js is served under another name. */
const NEXT_FOLDER = '.next';
const NEXT_PATH = '_next';

function commonEnd(a: readonly string[], b: readonly string[]): number {
  let common = 0;
  while (common < a.length && common < b.length && a[a.length - 1 - common] === b[b.length - 1 - common])
    common += 1;
  return common;
}
