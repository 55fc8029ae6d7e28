import type { MapProblem } from '@culprit/contract/releases/map-limits';
import type { MapFit, MapProbe } from '@culprit/contract/releases/map-schemas';
import {
  countMisplaced,
  isOfAnotherFile,
  judgeSegments,
  type Pair,
  readPair,
  refusal,
  type Sample,
} from './check-pair.ts';
import type { FormSource } from './form.ts';
import { FormWriter } from './form-writer.ts';
import { functionMapOf } from './function-map.ts';
import { sourceFunctions } from './function-names.ts';
import { codeHash, type GeneratedFile, unitsAt } from './generated-file.ts';
import { isIdentifierPart, isInsideWord } from './identifier-parts.ts';
import { lookUpPlace } from './look-up.ts';
import { MapFault } from './map-fault.ts';
import type { ReadMap } from './read-map.ts';
import { type Hide, hasRareLineEnds, type LineEnds, lineAt, lineStarts } from './source-lines.ts';

/** The facts about a map that can be used. */
interface MapFacts {
  segments: number;
  sources: number;
  hasContents: boolean;
  registersId: boolean;
  /** The hash of the generated file without the comments that tools add. */
  codeSha256: string;
  debugId: string | null;
  /** Further ids that the file registers, under which events name it. */
  otherIds: readonly string[];
  probe: MapProbe | null;
  fit: MapFit;
}

export type MadeForm =
  | { kind: 'made'; form: Buffer; facts: MapFacts }
  | { kind: 'skipped' | 'refused'; problem: MapProblem; words: string; fit: MapFit | null };

const FUNCTION_MAP_BYTES_MAX = 1_048_576;
const TEXT_BYTES_MAX = 16_777_216;
/** Texts with rare ends of lines that are compared with their places, and places of each. */
const RARE_CHARS_MAX = 4_194_304;
const RARE_PLACES_MAX = 1000;

/** A text whose lines depend on what its compiler counted as their ends. */
interface RareText {
  text: string;
  /** The last ones of the map. */
  places: { line: number; column: number }[];
  seen: number;
}

const showAll: Hide = (text) => text;

/**
 * Judges a pair and makes its look-up form (docs/contract/source-maps.md 2.2 and 3.4).
 * @param hide what the line of the probe is shown without
 */
export async function makeForm(pair: Pair, hide: Hide = showAll): Promise<MadeForm> {
  try {
    return await madeOf(pair, hide);
  } catch (error) {
    if (!(error instanceof MapFault)) throw error;
    return refusal(pair, error.problem, error.message, null);
  }
}

async function madeOf(pair: Pair, hide: Hide): Promise<MadeForm> {
  const read = readPair(pair);
  const { map, sources, names, generated } = read;
  const writer = new FormWriter();
  const { named, rare } = await writeTexts(map, sources, writer);
  writeFunctions(map, named, writer);
  const { samples, segments, fit, lineEnds } = judgeSegments(pair, read, (...segment) => {
    writer.segment(...segment);
    const [, , source, line, column] = segment;
    const text = rare.get(source);
    if (text === undefined) return;
    text.places[text.seen % RARE_PLACES_MAX] = { line, column };
    text.seen += 1;
  });
  if (isOfAnotherFile(fit)) {
    return refusal(pair, 'map_not_of_file', `${fit.misplaced} of ${fit.sampled}`, fit);
  }
  for (const [source, { text, places }] of rare) {
    const misplaced = (ends: LineEnds) => countMisplaced(text, lineStarts(text, ends), places);
    const known = named[source];
    if (known !== undefined && misplaced('feeds') < misplaced('all')) known.lineEnds = 'feeds';
  }
  const { text, starts, feedStarts } = generated;
  const mapStarts = lineEnds === 'feeds' ? feedStarts : null;
  const form = writer.finish({
    sources: named,
    names,
    generated: { text, starts, mapStarts, isBytecode: generated.isBytecode },
    rest: map.rest,
  });
  const debugId = pair.debugId ?? generated.debugId ?? map.debugId;
  const file = { ...generated, mapStarts: mapStarts ?? starts };
  const probe = await probeOf({ form, sources: named, samples, hide }, file);
  return {
    kind: 'made',
    form,
    facts: {
      segments,
      sources: named.length,
      hasContents: named.some(({ own, text }) => own && text !== null),
      registersId: generated.registersId,
      codeSha256: codeHash(generated.text),
      debugId,
      otherIds: generated.registeredIds.filter((id) => id !== debugId),
      probe,
      fit,
    },
  };
}

/** Keeps the function maps of sources; a larger one is left out. */
function writeFunctions(
  { scanner, sections }: ReadMap,
  named: readonly FormSource[],
  writer: FormWriter,
): void {
  let first = 0;
  for (const { functions, sources } of sections) {
    let index = 0;
    for (const slice of functions === null ? [] : scanner.elements(functions)) {
      const source = named[first + index];
      if (source === undefined || index >= sources.length) break;
      index += 1;
      if (slice.end - slice.start > FUNCTION_MAP_BYTES_MAX) continue;
      const map = functionMapOf(scanner.parse(slice));
      if (map !== null && source.file !== '') source.functions = writer.functions(map);
    }
    first += sources.length;
  }
}

/** Packs the texts one after the other, so that hardly more than one of them is held. */
async function writeTexts(
  { scanner, sections }: ReadMap,
  sources: readonly FormSource[],
  writer: FormWriter,
): Promise<{ named: FormSource[]; rare: Map<number, RareText> }> {
  const rare = new Map<number, RareText>();
  let rareChars = 0;
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
      if (typeof text !== 'string' || source.file === '') continue;
      source.text = writer.text(text);
      if (rareChars + text.length > RARE_CHARS_MAX || !hasRareLineEnds(text)) continue;
      rareChars += text.length;
      rare.set(first + index - 1, { text, places: [], seen: 0 });
    }
    first += own.length;
  }
  return { named, rare };
}

/** Looks one place up in the form as events do: the proof that it works. */
async function probeOf(
  {
    form,
    sources,
    samples,
    hide,
  }: { form: Buffer; sources: readonly FormSource[]; samples: readonly Sample[]; hide: Hide },
  { text, starts, mapStarts, isBytecode }: GeneratedFile & { mapStarts: readonly number[] },
): Promise<MapProbe | null> {
  const atWords = samples.filter(({ line, column, source }) => {
    const [before = '', at = ''] = unitsAt(text, mapStarts, line, column) ?? [];
    const isWord = isIdentifierPart(at) && !isInsideWord(before, at);
    return source >= 0 && sources[source]?.file !== '' && (isBytecode || isWord);
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
  const position = (mapStarts[probe.line] ?? 0) + probe.column;
  const line = lineAt(starts, position);
  const column = position - (starts[line] ?? 0);
  const found = await lookUpPlace(read, form.length, line, column);
  if (found.kind !== 'mapped') return null;
  const functions = found.text === null ? null : sourceFunctions(found.file, found.text);
  return {
    generated_line: line + 1,
    generated_column: column + 1,
    file: found.file,
    line: found.line + 1,
    column: found.column + 1,
    function: (found.offset === null ? null : functions?.nameAt(found.offset)) ?? found.mappedFunction,
    text: found.lines(hide)?.text ?? null,
  };
}
