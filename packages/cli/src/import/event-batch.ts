import { Buffer } from 'node:buffer';

/** An event that is sent: its line, and its JSON, which may be a view into the buffer of a batch. */
export interface BatchLine {
  line: number;
  json: Buffer;
}

const EVENTS_MAX = 200;
const BYTES_MAX = 900 * 1024;
const START = Buffer.from('{"events":[');
const COMMA = Buffer.from(',');
const END = Buffer.from(']}');

/** Events that are sent together, in a buffer that is used again, so that memory does not grow with the file. */
export class EventBatch {
  readonly #lines: BatchLine[] = [];
  #buffer = Buffer.allocUnsafeSlow(BYTES_MAX);
  #end = 0;

  get lines(): readonly BatchLine[] {
    return this.#lines;
  }

  /** @returns false when it is full; the first event always fits */
  add(line: number, json: string): boolean {
    const bytes = Buffer.byteLength(json);
    const isFirst = this.#lines.length === 0;
    if (!isFirst && (this.#lines.length >= EVENTS_MAX || this.#end + bytes > BYTES_MAX)) return false;
    // A single event may be larger than a batch; then the old buffer is empty.
    if (bytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(bytes);
    const from = this.#end;
    this.#end += this.#buffer.write(json, from);
    this.#lines.push({ line, json: this.#buffer.subarray(from, this.#end) });
    return true;
  }

  clear(): void {
    this.#lines.length = 0;
    this.#end = 0;
  }
}

/** The body with which events are sent. */
export function bodyOf(lines: readonly BatchLine[]): Uint8Array<ArrayBuffer> {
  const parts = lines.flatMap(({ json }, index) => (index === 0 ? [json] : [COMMA, json]));
  return Buffer.concat([START, ...parts, END]);
}
