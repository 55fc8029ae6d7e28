import type { LineEnds } from './source-lines.ts';

/**
 * The look-up form of a source map (docs/contract/source-maps.md 2.2): what the server keeps of a map and its generated
 * file, in parts that are read one by one.
 */

/** A part of the form: where it begins and how long it is, in bytes. */
export type FormPart = readonly [offset: number, length: number];

export const SEGMENTS_PER_BLOCK = 4096;
export const NAMES_PER_BLOCK = 1024;
/** UTF-16 units of the generated file in a part. */
export const UNITS_PER_FRAME = 32_768;
export const FORM_BYTES_MAX = 67_108_864;
export const FORM_VERSION = 1;
export const FORM_MAGIC = 'CMP1';
/** Length of the head and the magic. */
export const FORM_END_BYTES = 8;

/** The starts of lines. */
export interface FormLines {
  count: number;
  starts: FormPart;
}

export interface FormSource {
  /** The name in the map, with its root in front. */
  name: string;
  /** The file as people see it; empty where the map names none. */
  file: string;
  own: boolean;
  /** The position of its text; null if the map has none. */
  text: FormPart | null;
  /** The way in which its compiler counted lines. */
  lineEnds: LineEnds;
  /** Its function map, as JSON; not there where the map has none. */
  functions?: FormPart;
}

/** Some segments, by the place of the first. */
export interface FormBlock {
  line: number;
  column: number;
  part: FormPart;
  /**
   * A bit for each segment, set if it is a range, which maps all that follows until the next segment; absent if none
   * is.
   */
  ranges?: FormPart;
}

export interface FormHead {
  version: typeof FORM_VERSION;
  segments: number;
  blocks: readonly FormBlock[];
  sources: readonly FormSource[];
  names: { count: number; parts: readonly FormPart[] };
  /** The generated file: its length in UTF-16 units, the starts of its lines, and its text. */
  generated: {
    units: number;
    /** The lines as engines count them. */
    lines: FormLines;
    /** The lines as the map counts them; null if they are the same. */
    mapLines: FormLines | null;
    /** None of bytecode. */
    frames: readonly FormPart[];
  };
  /** Members of the map that nothing reads yet. */
  rest: FormPart | null;
}
