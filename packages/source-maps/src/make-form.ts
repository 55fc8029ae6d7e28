import type { MapProblem } from '@culprit/contract/map-limits';
import type { MapFit, MapProbe } from '@culprit/contract/source-maps';
import { checkMappings, decodeMappings, type MappingFacts } from './decode-mappings.ts';
import type { FormSource } from './form.ts';
import { FormWriter } from './form-writer.ts';
import { functionAt, functionTable } from './function-names.ts';
import { type GeneratedFile, readGenerated, unitsAt } from './generated-file.ts';
import { isIdentifierPart, isInsideWord } from './identifier-parts.ts';
import { lookUpPlace } from './look-up.ts';
import { MapFault } from './map-fault.ts';
import { isForeignSource, joinedSource, originalFile } from './original-file.ts';
import { problemWords } from './problem-words.ts';
import { type MapSection, NAMES_MAX, type ReadMap, readMap, SOURCES_MAX } from './read-map.ts';

/** A generated file with its map, as they came. */
export interface Pair {
  path: string;
  /** As announced; lower case. */
  debugId: string | null;
  generated: Buffer;
  map: Buffer;
}

/** What is known of a map that can be used. */
export interface MapFacts {
  segments: number;
  sources: number;
  hasContents: boolean;
  registersId: boolean;
  debugId: string | null;
  probe: MapProbe | null;
  fit: MapFit;
}

export type MadeForm =
  | { kind: 'made'; form: Buffer; facts: MapFacts }
  | { kind: 'skipped' | 'refused'; problem: MapProblem; words: string; fit: MapFit | null };

export const SEGMENTS_MAX = 16_000_000;
const TEXT_BYTES_MAX = 16_777_216;
/** Places that are compared with the generated file. */
const SAMPLES_MAX = 4000;
const MISPLACED_SHARE = 0.01;
const MISPLACED_MIN = 3;

/** Judges a pair and makes its look-up form (docs/contract/source-maps.md 2.2 and 3.4). */
export async function makeForm(pair: Pair): Promise<MadeForm> {
  try {
    return await madeOf(pair);
  } catch (error) {
    if (!(error instanceof MapFault)) throw error;
    return refusal(pair, error.problem, error.message, null);
  }
}

function refusal(pair: Pair, problem: MapProblem, detail: string, fit: MapFit | null): MadeForm {
  const kind = problem === 'map_empty' ? 'skipped' : 'refused';
  return { kind, problem, words: problemWords(problem, pair.path, detail), fit };
}

interface Sample {
  line: number;
  column: number;
  source: number;
}

async function madeOf(pair: Pair): Promise<MadeForm> {
  const map = readMap(pair.map);
  const { sources, texts } = sourcesOf(map.sections);
  const names = map.sections.flatMap((section) => section.names);
  if (names.length > NAMES_MAX)
    throw new MapFault('map_too_large', `${names.length} names; the limit is ${NAMES_MAX}`);
  const checked = checkSections(map.sections);
  const { segments } = checked;
  const generated = readGenerated(pair.generated);
  const writer = new FormWriter();
  const named = await writeTexts(map, texts, sources, writer);
  const samples: Sample[] = [];
  let written = 0;
  let mapped = 0;
  const step = Math.max(1, segments / SAMPLES_MAX);
  let nextSample = 0;
  writeSections(map.sections, checked.facts, (line, column, source, ...rest) => {
    writer.segment(line, column, source, ...rest);
    if (source >= 0 && sources[source]?.file !== '') mapped += 1;
    if (written >= nextSample && samples.length < SAMPLES_MAX) {
      samples.push({ line, column, source });
      nextSample += step;
    }
    written += 1;
  });
  if (mapped === 0) throw new MapFault('map_empty', '');
  const ids = new Set(
    [pair.debugId, generated.debugId, map.debugId?.toLowerCase() ?? null].filter((id) => id !== null),
  );
  if (ids.size > 1) throw new MapFault('debug_ids_differ', [...ids].join(' '));
  const fit = fitOf(samples, generated);
  if (fit.misplaced > Math.max(MISPLACED_MIN, fit.sampled * MISPLACED_SHARE)) {
    return refusal(pair, 'map_not_of_file', `${fit.misplaced} of ${fit.sampled}`, fit);
  }
  const form = writer.finish({ sources: named, names, generated, rest: map.rest });
  const probe = await probeOf(form, named, samples, generated);
  return {
    kind: 'made',
    form,
    facts: {
      segments: written,
      sources: named.length,
      hasContents: named.some(({ own, text }) => own && text !== null),
      registersId: generated.registersId,
      debugId: pair.debugId ?? generated.debugId ?? map.debugId?.toLowerCase() ?? null,
      probe,
      fit,
    },
  };
}

/** The sources of all sections, and where the text of each is. */
function sourcesOf(sections: readonly MapSection[]): { sources: FormSource[]; texts: readonly MapSection[] } {
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
      });
    });
  }
  return { sources, texts: sections };
}

/** Packs the texts one after the other, so that no more than one of them is held. */
async function writeTexts(
  { scanner }: ReadMap,
  sections: readonly MapSection[],
  sources: readonly FormSource[],
  writer: FormWriter,
): Promise<FormSource[]> {
  const named = sources.map((source) => ({ ...source }));
  let first = 0;
  for (const { texts, sources: own } of sections) {
    let index = 0;
    for (const slice of texts === null ? [] : scanner.elements(texts)) {
      const source = named[first + index];
      if (source === undefined || index >= own.length) break;
      index += 1;
      if (!scanner.isString(slice)) continue;
      if (slice.end - slice.start > TEXT_BYTES_MAX) {
        throw new MapFault('map_too_large', `a source of ${slice.end - slice.start} bytes`);
      }
      const text = scanner.parse(slice);
      if (typeof text === 'string' && source.file !== '') source.text = writer.text(text);
    }
    first += own.length;
  }
  return named;
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
    });
    segments += found.segments;
    return found;
  });
  return { segments, facts };
}

function writeSections(
  sections: readonly MapSection[],
  facts: readonly MappingFacts[],
  write: (...segment: Parameters<FormWriter['segment']>) => void,
): void {
  let firstSource = 0;
  let firstName = 0;
  sections.forEach((section, index) => {
    const found = facts[index];
    const next = sections[index + 1];
    if (found === undefined) return;
    const bounds = {
      sources: section.sources.length,
      names: section.names.length,
      segmentsMax: SEGMENTS_MAX,
    };
    decodeMappings(
      section.mappings,
      bounds,
      found,
      (line, column, source, originalLine, originalColumn, name) => {
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
        );
      },
    );
    firstSource += section.sources.length;
    firstName += section.names.length;
  });
}

/** How many of the sampled places cannot be places of a map of this file. */
function fitOf(samples: readonly Sample[], generated: GeneratedFile): MapFit {
  const misplaced = samples.filter(({ line, column }) => {
    const units = unitsAt(generated, line, column);
    return units === null || isInsideWord(...units);
  }).length;
  return { sampled: samples.length, misplaced };
}

/** Looks one place up in the form as events do: the proof that it works. */
async function probeOf(
  form: Buffer,
  sources: readonly FormSource[],
  samples: readonly Sample[],
  generated: GeneratedFile,
): Promise<MapProbe | null> {
  const atWords = samples.filter(({ line, column, source }) => {
    const [, at = ''] = unitsAt(generated, line, column) ?? [];
    return source >= 0 && sources[source]?.file !== '' && isIdentifierPart(at);
  });
  const classes = [
    atWords.filter(({ source }) => sources[source]?.own === true && sources[source]?.text !== null),
    atWords.filter(({ source }) => sources[source]?.text !== null),
    atWords,
  ];
  const chosen = classes.find((each) => each.length > 0) ?? [];
  const probe = chosen[Math.floor(chosen.length / 2)];
  if (probe === undefined) return null;
  const read = async (offset: number, length: number) => form.subarray(offset, offset + length);
  const found = await lookUpPlace(read, form.length, probe.line, probe.column);
  if (found.kind !== 'mapped') return null;
  const table = found.text === null ? null : functionTable(found.file, found.text);
  return {
    generated_line: probe.line + 1,
    generated_column: probe.column + 1,
    file: found.file,
    line: found.line + 1,
    column: found.column + 1,
    function: table === null || found.offset === null ? null : functionAt(table, found.offset),
    text: found.lines === null ? null : found.lines.text,
  };
}
