import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import {
  type BrotliDecompress,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  type Gunzip,
  type Inflate,
  type InflateRaw,
  type ZstdDecompress,
} from 'node:zlib';

/** Why there is no body: over the limit, cut off or not decodable, silent for too long, or no capacity in this process. */
export type BodyProblem = 'payload_too_large' | 'invalid_payload' | 'request_timeout' | 'service_unavailable';

export type ReadBodyResult = { ok: true; bytes: Buffer } | { ok: false; problem: BodyProblem };

export interface ReadBodyOptions {
  /** Bytes after decoding; one more is `payload_too_large`. It may grow with those that came over the wire. */
  bytesMax: number | ((wireBytes: number) => number);
  /** Bytes over the wire, if that is not the same and a little for what an encoding adds. */
  wireBytesMax?: number;
  /** Takes the body piece by piece, which is then not kept here; what it says of a piece ends the reading. */
  sink?: { add(chunk: Buffer): BodyProblem | null };
  /** A body that stays silent for this long ends in `request_timeout`. */
  silenceTimeoutMs: number;
  /** True: `Content-Encoding` is undone (events); false: the bytes are used as they arrive. */
  decodes: boolean;
  /** Takes bytes that have come; false ends in `service_unavailable`. Nothing more is read while it makes up its mind. */
  takeBytes?: (sizeBytes: number) => boolean | Promise<boolean>;
}

/**
 * Reads the body of a request and never holds more than the limit and one chunk. It does not answer and does not close:
 * the caller deals with the unread rest. A request that breaks off ends in `invalid_payload`, which has no reader.
 * Sources: docs/contract/ingestion.md 3.1 steps 4 and 5, docs/contract/reliability.md A12.
 */
export function readBody(request: IncomingMessage, options: ReadBodyOptions): Promise<ReadBodyResult> {
  const { headers } = request;
  const declaredBytes = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  if (declaredBytes === 0 || (declaredBytes === null && headers['transfer-encoding'] === undefined)) {
    return Promise.resolve({ ok: true, bytes: EMPTY });
  }
  // Encoded bytes beyond the limit and its slack cannot come from a sane encoder either.
  const encoding = options.decodes ? contentEncoding(headers['content-encoding']) : 'identity';
  if (encoding === null) return Promise.resolve({ ok: false, problem: 'invalid_payload' });
  const wireBytesMax = options.wireBytesMax ?? wireBytesFor(options.bytesMax, encoding);
  if (declaredBytes !== null && declaredBytes > wireBytesMax) {
    return Promise.resolve({ ok: false, problem: 'payload_too_large' });
  }
  return encoding === 'identity'
    ? readPlain(request, options, wireBytesMax)
    : readEncoded(request, options, encoding, wireBytesMax);
}

function wireBytesFor(bytesMax: ReadBodyOptions['bytesMax'], encoding: Encoding): number {
  if (typeof bytesMax !== 'number') throw new Error('a bound that grows needs one of the wire');
  return encoding === 'identity' ? bytesMax : bytesMax + ENCODED_SLACK_BYTES;
}

const EMPTY = Buffer.alloc(0);

/** Headers, empty blocks and incompressible data make an encoded body a little larger than its content. */
const ENCODED_SLACK_BYTES = 64 * 1024;

type Encoding = 'identity' | 'gzip' | 'deflate' | 'br' | 'zstd';

/**
 * The one coding of the header, besides `identity`; null for two of them and for every other word. `x-gzip` is gzip
 * (RFC 9110 8.4.1.3).
 */
export function contentEncoding(header: string | undefined): Encoding | null {
  const words = (header ?? '').split(',').map((word) => word.trim().toLowerCase());
  const [word, second] = words.filter((each) => each !== '' && each !== 'identity');
  if (second !== undefined) return null;
  switch (word) {
    case undefined:
      return 'identity';
    case 'x-gzip':
      return 'gzip';
    case 'gzip':
    case 'deflate':
    case 'br':
    case 'zstd':
      return word;
    default:
      return null;
  }
}

/** The hot path: plain listeners, and no copy when the body arrives in one piece. */
function readPlain(
  request: IncomingMessage,
  options: ReadBodyOptions,
  wireBytesMax: number,
): Promise<ReadBodyResult> {
  return new Promise((resolve) => {
    const collected = collector(() => wireBytesMax, options.sink);
    const reading = listen(request, options, {
      onData: (chunk) => reading.keep(collected, chunk, request),
      onEnd: () => reading.settle({ ok: true, bytes: collected.bytes() }),
      done: resolve,
    });
  });
}

/** Decodes while the body arrives, so that a bomb is found at the limit and not when it has gone off. */
function readEncoded(
  request: IncomingMessage,
  options: ReadBodyOptions,
  encoding: Exclude<Encoding, 'identity'>,
  wireBytesMax: number,
): Promise<ReadBodyResult> {
  return new Promise((resolve) => {
    const { bytesMax } = options;
    const limit = typeof bytesMax === 'number' ? () => bytesMax : () => bytesMax(wireBytes);
    const collected = collector(limit, options.sink);
    let decoder: Decoder | null = null;
    let wireBytes = 0;
    let isEnded = false;

    function onData(chunk: Buffer): void {
      wireBytes += chunk.length;
      if (wireBytes > wireBytesMax) {
        reading.settle({ ok: false, problem: 'payload_too_large' });
        return;
      }
      decoder ??= startDecoder(chunk);
      if (!decoder.write(chunk)) request.pause();
    }
    function startDecoder(firstChunk: Buffer): Decoder {
      const started = createDecoder(encoding, firstChunk);
      started.on('data', (chunk: Buffer) => reading.keep(collected, chunk, started));
      started.on('drain', () => request.resume());
      started.on('end', () => {
        // Decoders stop at the end of the stream and would leave what follows it unsaid.
        const isWhole = isEnded && started.bytesWritten === wireBytes;
        reading.settle(
          isWhole ? { ok: true, bytes: collected.bytes() } : { ok: false, problem: 'invalid_payload' },
        );
      });
      started.on('error', () => reading.settle({ ok: false, problem: 'invalid_payload' }));
      return started;
    }
    function onEnd(): void {
      isEnded = true;
      if (decoder === null) reading.settle({ ok: true, bytes: EMPTY });
      else decoder.end();
    }
    const reading = listen(request, options, {
      onData,
      onEnd,
      done(result) {
        decoder?.destroy();
        resolve(result);
      },
    });
  });
}

/** One read. */
interface Reading {
  /** Keeps a chunk when its bytes are granted; until then the source of the chunks is paused. */
  keep(collected: Collector, chunk: Buffer, source: Readable): void;
  /** Detaches the listeners and gives the result; the first one counts. */
  settle(result: ReadBodyResult): void;
}

function listen(
  request: IncomingMessage,
  { silenceTimeoutMs, takeBytes = () => true }: ReadBodyOptions,
  on: { onData: (chunk: Buffer) => void; onEnd: () => void; done: (result: ReadBodyResult) => void },
): Reading {
  const { socket } = request;
  let isSettled = false;
  let held: Readable | null = null;
  /** The bytes that were in memory when the connection closed after a body that had arrived completely. */
  let rest: Buffer | null = null;

  function settle(result: ReadBodyResult): void {
    if (isSettled) return;
    isSettled = true;
    request.off('data', on.onData);
    request.off('end', on.onEnd);
    request.off('close', onBroken);
    request.off('error', onBroken);
    request.off('timeout', onSilence);
    if (!socket.destroyed) socket.setTimeout(idleTimeoutMs);
    // Bytes that still arrive stay in the kernel until the caller decides about the connection.
    if (!result.ok) request.pause();
    on.done(result);
  }
  function onBroken(): void {
    // A request also closes after its proper end, while a decoder may still be at work.
    if (request.readableEnded || rest !== null) return;
    // Libraries in a process that ends send, and close without waiting for an answer.
    if (request.complete) {
      rest = unread(request);
      if (held !== request) finish();
    } else settle({ ok: false, problem: 'invalid_payload' });
  }
  function finish(): void {
    const chunk = rest ?? EMPTY;
    rest = EMPTY;
    if (chunk.length > 0) on.onData(chunk);
    // Otherwise it ends when the last bytes are granted.
    if (held !== request) on.onEnd();
  }
  function onSilence(): void {
    settle({ ok: false, problem: 'request_timeout' });
  }
  async function hold(source: Readable, granted: Promise<boolean>): Promise<void> {
    source.pause();
    held = source;
    // It is not the client that is silent.
    socket.setTimeout(idleTimeoutMs);
    const isGranted = await granted;
    held = null;
    if (isSettled) return;
    if (!isGranted) {
      settle({ ok: false, problem: 'service_unavailable' });
      return;
    }
    if (source === request && rest !== null) {
      finish();
      return;
    }
    if (!socket.destroyed) socket.setTimeout(silenceTimeoutMs);
    source.resume();
  }

  // Set back afterwards, because handling may take longer than a body may be silent.
  const idleTimeoutMs = socket.timeout ?? 0;
  socket.setTimeout(silenceTimeoutMs);
  request.on('timeout', onSilence);
  request.on('data', on.onData);
  request.on('end', on.onEnd);
  request.on('close', onBroken);
  request.on('error', onBroken);
  // The connection closed before the body was read.
  if (request.destroyed) queueMicrotask(onBroken);
  return {
    settle,
    keep(collected, chunk, source) {
      if (isSettled) return;
      const problem = collected.add(chunk);
      if (problem !== null) {
        settle({ ok: false, problem });
        return;
      }
      const granted = takeBytes(chunk.length);
      if (granted === false) settle({ ok: false, problem: 'service_unavailable' });
      else if (granted !== true) void hold(source, granted);
    },
  };
}

/** The bytes of a closed request that wait to be read. */
function unread(request: IncomingMessage): Buffer {
  const chunks: Buffer[] = [];
  for (let chunk = request.read(); Buffer.isBuffer(chunk); chunk = request.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface Collector {
  /** Keeps the chunk, or says what is wrong with it. */
  add(chunk: Buffer): BodyProblem | null;
  bytes(): Buffer;
}

/** Chunks below this are copied together: each Buffer costs many times a byte, and some bodies come byte by byte. */
const SMALL_CHUNK_BYTES = 4096;

function collector(bytesMax: () => number, sink: ReadBodyOptions['sink']): Collector {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let small = EMPTY;
  let smallBytes = 0;

  function copySmall(chunk: Buffer): void {
    if (smallBytes + chunk.length > small.length) {
      closeSmall();
      // Grows with the body, so that a few bytes cost little and a long body comes in few pieces.
      small = Buffer.allocUnsafeSlow(Math.max(chunk.length, Math.min(sizeBytes, SMALL_CHUNK_BYTES * 4), 64));
    }
    smallBytes += chunk.copy(small, smallBytes);
  }
  function closeSmall(): void {
    if (smallBytes > 0) chunks.push(small.subarray(0, smallBytes));
    small = EMPTY;
    smallBytes = 0;
  }

  return {
    add(chunk) {
      sizeBytes += chunk.length;
      if (sizeBytes > bytesMax()) return 'payload_too_large';
      if (sink !== undefined) return sink.add(chunk);
      if (chunk.length < SMALL_CHUNK_BYTES && sizeBytes > chunk.length) {
        copySmall(chunk);
      } else {
        closeSmall();
        chunks.push(chunk);
      }
      return null;
    },
    bytes() {
      if (sink !== undefined) return EMPTY;
      closeSmall();
      const [first] = chunks;
      return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, sizeBytes);
    },
  };
}

const DECODED_CHUNK_BYTES = 64 * 1024;

/**
 * The window a zstd frame may ask for, 2^23 bytes: all ordinary levels fit, and a frame that claims more would make
 * the decoder allocate it before the first byte of output.
 */
const ZSTD_WINDOW_LOG_MAX = 23;

type Decoder = Gunzip | Inflate | InflateRaw | BrotliDecompress | ZstdDecompress;

function createDecoder(encoding: Exclude<Encoding, 'identity'>, firstChunk: Buffer): Decoder {
  switch (encoding) {
    case 'gzip':
      return createGunzip({ chunkSize: DECODED_CHUNK_BYTES });
    case 'br':
      return createBrotliDecompress({ chunkSize: DECODED_CHUNK_BYTES });
    case 'zstd':
      return createZstdDecompress({
        chunkSize: DECODED_CHUNK_BYTES,
        params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
      });
    case 'deflate':
      // By the book this is the zlib format, but some senders leave its header away. The header's low half is 8.
      return ((firstChunk[0] ?? 0) & 0x0f) === 8
        ? createInflate({ chunkSize: DECODED_CHUNK_BYTES })
        : createInflateRaw({ chunkSize: DECODED_CHUNK_BYTES });
  }
}
