import type { MapProblem } from '@culprit/contract/releases/map-limits';
import type { MapFit } from '@culprit/contract/releases/map-schemas';
import { checkMappings, decodeMappings, type MappingFacts, type SegmentSink } from './decode-mappings.ts';
import type { FormSource } from './form.ts';
import { type GeneratedFile, readGenerated, unitsAt } from './generated-file.ts';
import { isInsideWord } from './identifier-parts.ts';
import { MapFault } from './map-fault.ts';
import { isForeignSource, joinedSource, originalFile } from './original-file.ts';
import { problemWords } from './problem-words.ts';
import { beginningOf, type MapSection, NAMES_MAX, type ReadMap, readMap, SOURCES_MAX } from './read-map.ts';
import type { LineEnds } from './source-lines.ts';

/** A generated file with its map, as they came. */
export interface Pair {
  path: string;
  /** The announced id; lower case. */
  debugId: string | null;
  generated: Buffer;
  map: Buffer;
}

const SEGMENTS_MAX = 16_000_000;
/** Places that are compared with the generated file. */
const SAMPLES_MAX = 4000;
const MISPLACED_SHARE = 0.08;
const MISPLACED_MIN = 5;
/**
 * The share of places in the project's own sources that can be misplaced: lists of constants, in which the minifier of
 * Turbopack divides words, have 22 %.
 */
const OWN_MISPLACED_SHARE = 1 / 3;

type CheckedPair =
  | { kind: 'good'; fit: MapFit }
  | { kind: 'skipped' | 'refused'; problem: MapProblem; words: string; fit: MapFit | null };

/** Judges a pair as the server does before it keeps the map (docs/contract/source-maps.md 3.4). */
export function checkPair(pair: Pair): CheckedPair {
  try {
    const { fit } = judgeSegments(pair, readPair(pair), () => undefined);
    return isOfAnotherFile(fit)
      ? refusal(pair, 'map_not_of_file', `${fit.misplaced} of ${fit.sampled}`, fit)
      : { kind: 'good', fit };
  } catch (error) {
    if (!(error instanceof MapFault)) throw error;
    return refusal(pair, error.problem, error.message, null);
  }
}

export function refusal(
  pair: Pair,
  problem: MapProblem,
  detail: string,
  fit: MapFit | null,
): Exclude<CheckedPair, { kind: 'good' }> {
  const kind = problem === 'map_empty' ? 'skipped' : 'refused';
  // Texts of sources are read last, when the beginning of the map is no longer known.
  const shown = problem === 'not_json' ? beginningOf(pair.map) : detail;
  return { kind, problem, words: problemWords(problem, pair.path, shown), fit };
}

interface ReadPair {
  map: ReadMap;
  sources: FormSource[];
  names: string[];
  checked: Checked;
  generated: GeneratedFile;
}

/** Reads a pair; throws the fault of the map. */
export function readPair(pair: Pair): ReadPair {
  const map = readMap(pair.map);
  const sources = sourcesOf(map.sections);
  const names = map.sections.flatMap((section) => section.names);
  if (names.length > NAMES_MAX)
    throw new MapFault('map_too_large', `${names.length} names; the limit is ${NAMES_MAX}`);
  return {
    map,
    sources,
    names,
    checked: checkSections(map.sections),
    generated: readGenerated(pair.generated),
  };
}

export interface Sample {
  line: number;
  column: number;
  source: number;
}

/** Hands every segment on, in order, and compares samples of them with the generated file. */
export function judgeSegments(
  pair: Pair,
  { map, sources, checked, generated }: ReadPair,
  write: SegmentSink,
): { samples: Sample[]; segments: number; fit: MapFit; lineEnds: LineEnds } {
  const samples: Sample[] = [];
  const own = new EvenSamples();
  const step = Math.max(1, checked.segments / SAMPLES_MAX);
  let written = 0;
  let mapped = 0;
  let nextSample = 0;
  writeSections(map.sections, checked.facts, (line, column, source, ...rest) => {
    write(line, column, source, ...rest);
    if (source >= 0 && sources[source]?.file !== '') mapped += 1;
    if (sources[source]?.own === true) own.add({ line, column, source });
    if (written >= nextSample && samples.length < SAMPLES_MAX) {
      samples.push({ line, column, source });
      nextSample += step;
    }
    written += 1;
  });
  if (mapped === 0) throw new MapFault('map_empty', '');
  const ids = new Set([pair.debugId, generated.debugId, map.debugId].filter((id) => id !== null));
  if (ids.size > 1) throw new MapFault('debug_ids_differ', [...ids].join(' '));
  const judged = fitOf(samples, generated);
  // Most of a bundle are libraries, which two versions of an application have in common.
  const { fit: ownFit } = fitOf(own.samples, generated);
  const isOwnOther = ownFit.misplaced > Math.max(MISPLACED_MIN, ownFit.sampled * OWN_MISPLACED_SHARE);
  return { samples, segments: written, ...judged, fit: isOwnOther ? ownFit : judged.fit };
}

/** Some of however many places that come, evenly spread. */
class EvenSamples {
  samples: Sample[] = [];
  #step = 1;
  #seen = 0;

  add(sample: Sample): void {
    if (this.#seen % this.#step === 0) this.samples.push(sample);
    this.#seen += 1;
    if (this.samples.length <= SAMPLES_MAX) return;
    this.samples = this.samples.filter((_, index) => index % 2 === 0);
    this.#step *= 2;
  }
}

export function isOfAnotherFile({ sampled, misplaced }: MapFit): boolean {
  return misplaced > Math.max(MISPLACED_MIN, sampled * MISPLACED_SHARE);
}

/** The sources of all sections; their texts are not read here. */
function sourcesOf(sections: readonly MapSection[]): FormSource[] {
  const sources: FormSource[] = [];
  for (const section of sections) {
    if (sources.length + section.sources.length > SOURCES_MAX) {
      throw new MapFault('map_too_large', `more than ${SOURCES_MAX} sources`);
    }
    section.sources.forEach((source, index) => {
      const name = source === null ? '' : joinedSource(section.root, source);
      const file = source === null || source === '' ? '' : originalFile(name);
      sources.push({
        name,
        file,
        own: file !== '' && !section.ignored.has(index) && !isForeignSource(name, file),
        text: null,
        lineEnds: 'all',
      });
    });
  }
  return sources;
}

interface Checked {
  segments: number;
  facts: readonly MappingFacts[];
}

function checkSections(sections: readonly MapSection[]): Checked {
  let segments = 0;
  const facts = sections.map((section) => {
    const found = checkMappings(section.mappings, {
      sources: section.sources.length,
      names: section.names.length,
      segmentsMax: SEGMENTS_MAX - segments,
      ranges: section.ranges,
    });
    segments += found.segments;
    return found;
  });
  return { segments, facts };
}

function writeSections(
  sections: readonly MapSection[],
  facts: readonly MappingFacts[],
  write: SegmentSink,
): void {
  let firstSource = 0;
  let firstName = 0;
  let endsInRange = false;
  sections.forEach((section, index) => {
    const found = facts[index];
    const next = sections[index + 1];
    if (found === undefined) return;
    const bounds = {
      sources: section.sources.length,
      names: section.names.length,
      segmentsMax: SEGMENTS_MAX,
      ranges: section.ranges,
    };
    // A range at the end of the section before does not continue into this one.
    if (endsInRange) write(section.line, section.column, -1, 0, 0, -1, false);
    endsInRange = false;
    decodeMappings(
      section.mappings,
      bounds,
      found,
      (line, column, source, originalLine, originalColumn, name, isRange) => {
        const at = line + section.line;
        // The offset's column holds for the first line alone.
        const shifted = line === 0 ? column + section.column : column;
        if (next !== undefined && (at > next.line || (at === next.line && shifted >= next.column))) return;
        write(
          at,
          shifted,
          source < 0 ? -1 : source + firstSource,
          originalLine,
          originalColumn,
          name < 0 ? -1 : name + firstName,
          isRange,
        );
        endsInRange = isRange;
      },
    );
    firstSource += section.sources.length;
    firstName += section.names.length;
  });
}

/** Returns the number of sampled places that cannot be places of a map of this file, and how its tool counted lines. */
function fitOf(
  samples: readonly Sample[],
  { text, starts, feedStarts, isBytecode }: GeneratedFile,
): { fit: MapFit; lineEnds: LineEnds } {
  const sampled = samples.length;
  if (isBytecode) {
    const outside = samples.filter(({ line, column }) => line > 0 || column > text.length);
    return { fit: { sampled, misplaced: outside.length }, lineEnds: 'all' };
  }
  const misplaced = countMisplaced(text, starts, samples);
  const byFeeds = feedStarts === null ? misplaced : countMisplaced(text, feedStarts, samples);
  return byFeeds < misplaced
    ? { fit: { sampled, misplaced: byFeeds }, lineEnds: 'feeds' }
    : { fit: { sampled, misplaced }, lineEnds: 'all' };
}

/** Returns the number of places inside words, or after the ends of their lines. */
export function countMisplaced(
  text: string,
  starts: readonly number[],
  places: readonly { line: number; column: number }[],
): number {
  return places.filter(({ line, column }) => {
    const units = unitsAt(text, starts, line, column);
    return units === null || isInsideWord(...units);
  }).length;
}
