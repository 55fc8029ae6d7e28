import { isTaken, sentryItemKind } from '@culprit/contract/events/sentry-items';
import { isJsonObject, type JsonObject } from '../../events/envelope/json.ts';
import { droppedItem } from './dropped-item.ts';
import { COMPRESSED, isCompressed, parsedLine, withoutByteOrderMark } from './header-line.ts';

/** The reason why a body is no envelope, or none that is read. ASCII, because it is also sent in a header. */
interface EnvelopeFault {
  code: 'invalid_payload' | 'payload_too_large';
  detail: string;
}

/** The parts of an envelope that are kept, once it was read to its end. */
export interface Envelope {
  header: JsonObject;
  items: readonly KeptItem[];
  /** The items that were not kept, in the words of `context.sentry.dropped`. */
  dropped: readonly string[];
  refused: readonly RefusedItem[];
  /** Items that are not taken, and those beyond the limits, by kind. */
  notTaken: ReadonlyMap<string, number>;
  overLimit: ReadonlyMap<string, number>;
}

interface KeptItem {
  /** Index in the envelope. */
  index: number;
  type: string;
  header: JsonObject;
  payload: Buffer;
}

/** An item that would have been taken. */
export interface RefusedItem {
  index: number;
  type: string;
  reason: 'too_large' | 'over_limit' | 'invalid_event';
}

/** The limits of a header line, and of one that has yet to name the key of its sender. */
const LINE_BYTES_MAX = 64 * 1024;
const NAMELESS_LINE_BYTES_MAX = 8 * 1024;
const ITEM_BYTES_MAX = 1024 * 1024;
const ITEMS_BYTES_MAX = 4 * 1024 * 1024;
const ITEMS_MAX = 1000;
const TAKEN_MAX = 200;
const DROPPED_MAX = 10;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** One item while it is read. */
interface OpenItem {
  index: number;
  header: JsonObject;
  type: string;
  /** Bytes still to come; null: to the end of the line. */
  bytesLeft: number | null;
  sizeBytes: number;
  /** Null for one that is skipped. */
  chunks: Buffer[] | null;
}

/**
 * Reads an envelope as it comes (docs/contract/foreign-protocols.md 3.4): a state machine over pieces of any size, which
 * keeps the items that are taken and passes over the payloads of all others.
 */
export class EnvelopeReader {
  readonly #isKeyKnown: boolean;
  #state: 'header' | 'item' | 'payload' | 'behind_payload' = 'header';
  /** The beginning of a line that continues in the next piece. */
  #line: Buffer[] = [];
  #lineBytes = 0;
  #header: JsonObject | null = null;
  #open: OpenItem | null = null;
  #itemCount = 0;
  #keptBytes = 0;
  readonly #items: KeptItem[] = [];
  readonly #dropped: string[] = [];
  readonly #refused: RefusedItem[] = [];
  readonly #notTaken = new Map<string, number>();
  readonly #overLimit = new Map<string, number>();

  /** @param isKeyKnown a sender that is not known gets less room for its first line */
  constructor(isKeyKnown = true) {
    this.#isKeyKnown = isKeyKnown;
  }

  /** The first line; null while it has not come. */
  get header(): JsonObject | null {
    return this.#header;
  }

  /** Bytes of items and of an unfinished line. */
  get keptBytes(): number {
    return this.#keptBytes + this.#lineBytes;
  }

  /** Takes one piece; says what is wrong with the envelope so far. */
  add(chunk: Buffer): EnvelopeFault | null {
    let offset = 0;
    while (offset < chunk.length) {
      const read =
        this.#state === 'payload' ? this.#readPayload(chunk, offset) : this.#readLine(chunk, offset);
      if (typeof read !== 'number') return read;
      offset = read;
    }
    return null;
  }

  /** Returns the content, or the reason why it is no envelope. */
  end(): Envelope | EnvelopeFault {
    if (this.#lineBytes > 0) {
      const found = this.#endLine();
      if (found !== null) return found;
    }
    if (this.#open !== null) {
      if ((this.#open.bytesLeft ?? 0) > 0) return broken('item %: its payload ends early', this.#open.index);
      this.#closeItem(this.#open);
    }
    if (this.#header === null) return fault('invalid_payload', 'The body is empty.');
    return {
      header: this.#header,
      items: this.#items,
      dropped: this.#dropped,
      refused: this.#refused,
      notTaken: this.#notTaken,
      overLimit: this.#overLimit,
    };
  }

  /** Reads to the end of the line or the piece; returns where it stopped. */
  #readLine(chunk: Buffer, offset: number): number | EnvelopeFault {
    const end = chunk.indexOf(NEWLINE, offset);
    const stop = end === -1 ? chunk.length : end;
    if (stop > offset) {
      this.#lineBytes += stop - offset;
      const isNameless = !this.#isKeyKnown && this.#header === null;
      if (this.#lineBytes > (isNameless ? NAMELESS_LINE_BYTES_MAX : LINE_BYTES_MAX)) {
        return isNameless ? NAMELESS_LINE : LINE_TOO_LONG;
      }
      // The piece itself is not kept for the sake of a few bytes.
      this.#line.push(end === -1 ? Buffer.from(chunk.subarray(offset, stop)) : chunk.subarray(offset, stop));
    }
    if (end === -1) return stop;
    return this.#endLine() ?? end + 1;
  }

  #endLine(): EnvelopeFault | null {
    const line = this.#line.length === 1 ? this.#line[0] : Buffer.concat(this.#line);
    this.#line = [];
    this.#lineBytes = 0;
    const isBlank = line === undefined || line.length === 0 || (line.length === 1 && line[0] === RETURN);
    if (this.#state === 'behind_payload') {
      this.#state = 'item';
      return isBlank ? null : broken('item %: bytes follow its payload', this.#itemCount - 1);
    }
    if (isBlank) {
      return this.#state === 'header' ? broken('the first line is empty', 0) : null;
    }
    const header = parsedLine(this.#state === 'header' ? withoutByteOrderMark(line) : line);
    if (!isJsonObject(header)) {
      return this.#state === 'header'
        ? broken(isCompressed(line) ? COMPRESSED : 'the first line is not a JSON object', 0)
        : broken('item %: its header line is not a JSON object', this.#itemCount);
    }
    if (this.#state === 'item') return this.#openItem(header);
    this.#header = header;
    this.#state = 'item';
    return null;
  }

  #openItem(header: JsonObject): EnvelopeFault | null {
    const index = this.#itemCount;
    this.#itemCount += 1;
    const type = typeof header.type === 'string' ? header.type : '';
    const length = header.length ?? null;
    if (length !== null && !(Number.isSafeInteger(length) && Number(length) >= 0)) {
      return broken('item %: its length is not a number of bytes', index);
    }
    const bytesLeft = length === null ? null : Number(length);
    const chunks = this.#mayTake(index, type, header, bytesLeft) ? [] : null;
    this.#open = { index, header, type, bytesLeft, sizeBytes: 0, chunks };
    this.#state = 'payload';
    if (bytesLeft === 0) this.#closeItem(this.#open);
    return null;
  }

  /** Returns true if the payload is kept; counts the item if it is not. */
  #mayTake(index: number, type: string, header: JsonObject, bytes: number | null): boolean {
    const contentType = typeof header.content_type === 'string' ? header.content_type : null;
    const kind = sentryItemKind(type);
    if (index >= ITEMS_MAX) {
      count(this.#overLimit, kind);
      return false;
    }
    if (!isTaken(type, contentType)) {
      count(this.#notTaken, kind);
      return false;
    }
    if (this.#items.length >= TAKEN_MAX) {
      count(this.#overLimit, kind);
      this.#refused.push({ index, type, reason: 'over_limit' });
      return false;
    }
    if (bytes !== null && !this.#fits(bytes, 0)) {
      this.#refused.push({ index, type, reason: 'too_large' });
      return false;
    }
    return true;
  }

  #fits(moreBytes: number, itemBytes: number): boolean {
    return itemBytes + moreBytes <= ITEM_BYTES_MAX && this.#keptBytes + moreBytes <= ITEMS_BYTES_MAX;
  }

  #readPayload(chunk: Buffer, offset: number): number {
    const item = this.#open;
    if (item === null) return chunk.length;
    if (item.chunks === null && item.bytesLeft !== null) return this.#skipPayload(item, chunk, offset);
    const newline = item.bytesLeft === null ? chunk.indexOf(NEWLINE, offset) : -1;
    const wanted = item.bytesLeft ?? Number.POSITIVE_INFINITY;
    const stop = newline === -1 ? Math.min(chunk.length, offset + wanted) : newline;
    const bytes = chunk.subarray(offset, stop);
    // A small part would keep the whole piece in memory.
    this.#takeBytes(item, bytes.length * 2 < chunk.length ? Buffer.from(bytes) : bytes);
    if (item.bytesLeft !== null) {
      item.bytesLeft -= stop - offset;
      if (item.bytesLeft === 0) this.#closeItem(item);
      return stop;
    }
    if (newline === -1) return stop;
    this.#closeItem(item);
    this.#state = 'item';
    return newline + 1;
  }

  #skipPayload(item: OpenItem, chunk: Buffer, offset: number): number {
    const skipped = Math.min(chunk.length - offset, item.bytesLeft ?? 0);
    item.sizeBytes += skipped;
    item.bytesLeft = (item.bytesLeft ?? 0) - skipped;
    if (item.bytesLeft === 0) this.#closeItem(item);
    return offset + skipped;
  }

  #takeBytes(item: OpenItem, bytes: Buffer): void {
    item.sizeBytes += bytes.length;
    if (item.chunks === null || bytes.length === 0) return;
    if (this.#fits(bytes.length, item.sizeBytes - bytes.length)) {
      item.chunks.push(bytes);
      this.#keptBytes += bytes.length;
      return;
    }
    this.#keptBytes -= item.sizeBytes - bytes.length;
    item.chunks = null;
    this.#refused.push({ index: item.index, type: item.type, reason: 'too_large' });
  }

  #closeItem(item: OpenItem): void {
    const { index, type, header, chunks } = item;
    this.#open = null;
    this.#state = 'behind_payload';
    if (chunks !== null) {
      const [first] = chunks;
      const payload = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      this.#items.push({ index, type, header, payload });
      return;
    }
    if (this.#dropped.length < DROPPED_MAX) {
      this.#dropped.push(droppedItem(item.type, item.header, item.sizeBytes));
    }
  }
}

const NAMELESS_LINE = fault(
  'invalid_payload',
  `The first line of an envelope without a key in its headers has at most ${NAMELESS_LINE_BYTES_MAX} bytes.`,
);
const LINE_TOO_LONG = fault(
  'payload_too_large',
  `A header line of the envelope is larger than ${LINE_BYTES_MAX} bytes.`,
);

function count(counts: Map<string, number>, kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

/** @param what with `%` for the index of the item */
function broken(what: string, index: number): EnvelopeFault {
  return fault('invalid_payload', `The body is not an envelope: ${what.replace('%', String(index))}.`);
}

function fault(code: EnvelopeFault['code'], detail: string): EnvelopeFault {
  return { code, detail };
}
