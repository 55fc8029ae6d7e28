import { constants, zstdCompressSync } from 'node:zlib';
import {
  FORM_BYTES_MAX,
  FORM_MAGIC,
  FORM_VERSION,
  type FormBlock,
  type FormHead,
  type FormLines,
  type FormPart,
  type FormSource,
  NAMES_PER_BLOCK,
  SEGMENTS_PER_BLOCK,
  UNITS_PER_FRAME,
} from './form.ts';
import type { FunctionMap } from './function-map.ts';
import { MapFault } from './map-fault.ts';
import { VarintWriter } from './varints.ts';

const LEVEL = { fast: 1, texts: 3, head: 9 } as const;
const COLUMNS = 6;

/** Puts a look-up form together, part by part, so that a large map is never held as values. */
export class FormWriter {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  readonly #blocks: FormBlock[] = [];
  readonly #block = new Float64Array(SEGMENTS_PER_BLOCK * COLUMNS);
  readonly #ranges = Buffer.alloc(SEGMENTS_PER_BLOCK / 8);
  #hasRanges = false;
  #inBlock = 0;
  #segments = 0;
  /** Texts become bytes here one after the other: memory outside of the heap is given back late. */
  #scratch = Buffer.alloc(0);

  /** The next segment; they come in the order of their places. */
  segment(
    line: number,
    column: number,
    source: number,
    originalLine: number,
    originalColumn: number,
    name: number,
    isRange: boolean,
  ): void {
    this.#block.set([line, column, source, originalLine, originalColumn, name], this.#inBlock * COLUMNS);
    if (isRange) {
      const byte = this.#inBlock >>> 3;
      this.#ranges[byte] = (this.#ranges[byte] ?? 0) | (1 << (this.#inBlock & 7));
      this.#hasRanges = true;
    }
    this.#inBlock += 1;
    this.#segments += 1;
    if (this.#inBlock === SEGMENTS_PER_BLOCK) this.#closeBlock();
  }

  #closeBlock(): void {
    if (this.#inBlock === 0) return;
    const writer = new VarintWriter(this.#inBlock * COLUMNS * 2);
    for (let column = 0; column < COLUMNS; column += 1) {
      let before = 0;
      for (let row = 0; row < this.#inBlock; row += 1) {
        const value = this.#block[row * COLUMNS + column] ?? 0;
        writer.add(value - before);
        before = value;
      }
    }
    this.#blocks.push({
      line: this.#block[0] ?? 0,
      column: this.#block[1] ?? 0,
      part: this.#add(writer.bytes(), LEVEL.fast),
      ...(this.#hasRanges ? { ranges: this.#add(this.#ranges, LEVEL.fast) } : {}),
    });
    if (this.#hasRanges) this.#ranges.fill(0);
    this.#hasRanges = false;
    this.#inBlock = 0;
  }

  /** The text of a source. */
  text(content: string): FormPart {
    return this.#add(this.#bytesOf(content, 'utf8'), LEVEL.texts);
  }

  /** The bytes of a text, until the next one. */
  #bytesOf(text: string, encoding: 'utf8' | 'utf16le'): Buffer {
    const needed = Buffer.byteLength(text, encoding);
    if (this.#scratch.length < needed) this.#scratch = Buffer.allocUnsafeSlow(needed);
    return this.#scratch.subarray(0, this.#scratch.write(text, encoding));
  }

  /** The function map of a source. */
  functions(map: FunctionMap): FormPart {
    return this.#add(jsonBytes(map), LEVEL.texts);
  }

  /** The rest of the form. */
  finish(known: {
    sources: readonly FormSource[];
    names: readonly string[];
    generated: {
      text: string;
      starts: readonly number[];
      mapStarts: readonly number[] | null;
      isBytecode: boolean;
    };
    rest: string | null;
  }): Buffer {
    this.#closeBlock();
    const { text, starts, mapStarts, isBytecode } = known.generated;
    const frames: FormPart[] = [];
    // Offsets of bytecode lie inside no word.
    for (let at = 0; at < text.length && !isBytecode; at += UNITS_PER_FRAME) {
      frames.push(this.#add(this.#bytesOf(text.slice(at, at + UNITS_PER_FRAME), 'utf16le'), LEVEL.texts));
    }
    const names: FormPart[] = [];
    for (let at = 0; at < known.names.length; at += NAMES_PER_BLOCK) {
      names.push(this.#add(jsonBytes(known.names.slice(at, at + NAMES_PER_BLOCK)), LEVEL.texts));
    }
    const head: FormHead = {
      version: FORM_VERSION,
      segments: this.#segments,
      blocks: this.#blocks,
      sources: known.sources,
      names: { count: known.names.length, parts: names },
      generated: {
        units: text.length,
        lines: this.#lines(starts),
        mapLines: mapStarts === null ? null : this.#lines(mapStarts),
        frames,
      },
      rest: known.rest === null ? null : this.#add(Buffer.from(known.rest, 'utf8'), LEVEL.texts),
    };
    const [, headBytes] = this.#add(jsonBytes(head), LEVEL.head);
    const end = Buffer.alloc(8);
    end.writeUInt32LE(headBytes, 0);
    end.write(FORM_MAGIC, 4, 'latin1');
    this.#chunks.push(end);
    return Buffer.concat(this.#chunks);
  }

  #lines(starts: readonly number[]): FormLines {
    const writer = new VarintWriter(starts.length * 2);
    let before = 0;
    for (const start of starts) {
      writer.add(start - before);
      before = start;
    }
    return { count: starts.length, starts: this.#add(writer.bytes(), LEVEL.texts) };
  }

  #add(bytes: Buffer, level: number): FormPart {
    const packed = zstdCompressSync(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
    });
    const part: FormPart = [this.#length, packed.length];
    this.#chunks.push(packed);
    this.#length += packed.length;
    if (this.#length > FORM_BYTES_MAX - 8) {
      throw new MapFault('map_too_large', `more than ${FORM_BYTES_MAX} bytes when it is packed`);
    }
    return part;
  }
}

/** Lone surrogates are kept: JSON escapes them. */
function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}
