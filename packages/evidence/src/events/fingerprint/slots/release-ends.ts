import type { JsonObject } from '../../envelope/json.ts';
import { cutCodePoints } from '../bounded-text.ts';
import { isOfHashes, MINIFIED } from '../key-names.ts';
import { oddness } from '../odd-letters.ts';
import type { ParsedException } from '../stack/parsed-stack.ts';

/**
 * The ends of names that each build can generate anew though they look like words or numbers: `cart-carabine.js`,
 * `cart2.js`. Releases reveal them (docs/contract/grouping.md 3): if each release has a different end, the end is a
 * hash.
 */

/** A key without the ends of its names. */
interface OpenEnds {
  material: JsonObject;
  /** The form that the ends have in common: those of another length are no hashes of the same bundler. */
  shape: string;
  /** The ends with the release that they are of: a word of the slot. */
  word: string;
  pattern: string;
}

const RELEASE_CODE_POINTS_MAX = 100;
const MARK = '[…]';

const SCRIPT = /\.(?:[cm]?js|jsx|bundle|jsbundle)$/;
const NUMBER_AT_END = /^(.*[^\d*])(\d{1,3})$/;
const SEPARATED = /^(.*[-._~])([\dA-Za-z]{6,64})$/;
const ALONE = /^[\w-]{8,64}$/;
/**
 * The oddness of an end that may be no word, and that of one in a name of which no bundler is known to generate a part.
 */
const ODD = 1;
const ODD_ELSEWHERE = 2;

/** The key of an event with the ends of its files and functions open; null where no end may be a hash. */
export function openEnds(
  material: JsonObject,
  chain: readonly ParsedException[],
  release: string | null,
): OpenEnds | null {
  if (release === null) return null;
  const found: string[] = [];
  const isAmongHashes = namesAmongHashes(chain);
  const open = (name: Name) => opened(name, found, isAmongHashes);
  const opening: JsonObject = { ...material };
  if (Array.isArray(material.frames)) {
    opening.frames = material.frames.map((frame) =>
      typeof frame === 'string' ? openFrame(frame, open) : frame,
    );
  }
  if (typeof material.src === 'string') opening.src = open({ name: material.src, isMinified: false });
  if (found.length === 0) return null;
  const ends = [...new Set(found)];
  const names = Array.isArray(opening.frames) ? opening.frames : [opening.src ?? ''];
  return {
    material: opening,
    shape: ends.map((end) => (IS_NUMBER.test(end) ? 'n' : String(end.length))).join(),
    word: `${ends.join('+')} (${cutCodePoints(release, RELEASE_CODE_POINTS_MAX)})`,
    pattern: names.join(', '),
  };
}

const IS_NUMBER = /^\d{1,3}$/;

interface Name {
  name: string;
  isMinified: boolean;
}

function openFrame(frame: string, open: (name: Name) => string): string {
  const cut = frame.indexOf('#');
  const module = cut === -1 ? frame : frame.slice(0, cut);
  const name = cut === -1 ? '' : frame.slice(cut + 1);
  return `${open({ name: module, isMinified: name === MINIFIED })}${cut === -1 ? '' : '#'}${name}`;
}

function opened({ name, isMinified }: Name, found: string[], isAmongHashes: ReadonlySet<string>): string {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const extension = /\.[a-z]{1,8}\d?$/.exec(base)?.[0] ?? '';
  const stem = base.slice(0, base.length - extension.length);
  const end = endOf(stem, {
    isScript: SCRIPT.test(base),
    isMinified,
    isAmongHashes: isAmongHashes.has(base),
  });
  if (end === '') return name;
  found.push(end);
  return `${name.slice(0, name.length - extension.length - end.length)}${MARK}${extension}`;
}

/** Names of a minifier and none of scripts say little beside the file, so that there an end has to look like a hash. */
function endOf(
  stem: string,
  { isScript, isMinified, isAmongHashes }: { isScript: boolean; isMinified: boolean; isAmongHashes: boolean },
): string {
  const oddMin = !isScript ? ODD_ELSEWHERE : isMinified ? ODD : 0;
  if (ALONE.test(stem) && oddness(stem) >= (isAmongHashes ? oddMin : ODD_ELSEWHERE) && !/[-_]/.test(stem))
    return stem;
  const separated = SEPARATED.exec(stem)?.[2] ?? '';
  if (separated !== '' && oddness(separated) >= oddMin) return separated;
  return isScript && !isMinified ? (NUMBER_AT_END.exec(stem)?.[2] ?? '') : '';
}

/** The files of a chain in directories that a bundler fills with hashes. */
function namesAmongHashes(chain: readonly ParsedException[]): Set<string> {
  const names = new Set<string>();
  for (const { frames } of chain) {
    for (const { file } of frames.slice(0, FRAMES_LOOKED_AT_MAX)) {
      const [base = '', directory = ''] = (file ?? '').split(/[\\/]/).reverse();
      if (isOfHashes(directory)) names.add(base);
    }
  }
  return names;
}

const FRAMES_LOOKED_AT_MAX = 50;

/** Weight of the different ends with which they are hashes: two that look like some, three that look like words. */
export const ENDS_WEIGHT = 6;
const WEIGHT_OF_ODD = 3;
const WEIGHT_OF_WORD = 2;

/** The end and the release of a word of a slot. */
function endAndRelease(word: string): { end: string; release: string } {
  const cut = word.indexOf(' (');
  return { end: word.slice(0, cut), release: word.slice(cut + 2, -1) };
}

/** One end of a slot, with the key that has it. */
interface SeenEnd {
  word: string;
  /** Further releases in which the key was met. */
  releases: readonly string[];
}

/**
 * The ends before the one with which they are hashes; null where they are not: too few, or a release has two of them,
 * so that they are files of one build.
 */
export function endsBefore(seen: readonly SeenEnd[]): number | null {
  const endOfRelease = new Map<string, string>();
  const ends = new Set<string>();
  let weight = 0;
  let before: number | null = null;
  for (const [index, { word, releases }] of seen.entries()) {
    const { end, release } = endAndRelease(word);
    for (const each of [release, ...releases]) {
      if ((endOfRelease.get(each) ?? end) !== end) return null;
      endOfRelease.set(each, end);
    }
    if (ends.has(end)) continue;
    ends.add(end);
    weight += end.split('+').some((part) => oddness(part) >= ODD) ? WEIGHT_OF_ODD : WEIGHT_OF_WORD;
    if (weight >= ENDS_WEIGHT) before ??= index;
  }
  return before;
}

/**
 * Returns true if another end of an open slot belongs to the same release as this one: then this one is another file.
 */
export function isOfOtherFile(word: string, words: readonly string[]): boolean {
  const { end, release } = endAndRelease(word);
  return words.some((each) => {
    const known = endAndRelease(each);
    return known.release === release && known.end !== end;
  });
}
