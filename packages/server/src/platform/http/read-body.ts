import type { IncomingMessage } from 'node:http';
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

/** Why there is no body: over the limit, cut off or not decodable, silent for too long, or no room in this process. */
export type BodyProblem = 'payload_too_large' | 'invalid_payload' | 'request_timeout' | 'service_unavailable';

export type ReadBodyResult = { ok: true; bytes: Buffer } | { ok: false; problem: BodyProblem };

export interface ReadBodyOptions {
  /** Bytes after decoding; one more is `payload_too_large`. */
  bytesMax: number;
  /** A body that stays silent for this long ends in `request_timeout`. */
  silenceTimeoutMs: number;
  /** Whether `Content-Encoding` is undone (events) or the bytes are taken as they come. */
  decodes: boolean;
  /** Asks for room for bytes that are kept; false ends in `service_unavailable`. */
  takeBytes?: (sizeBytes: number) => boolean;
}

/**
 * The body of a request, never holding more than the limit and one chunk. Does not answer and does not close: what is
 * left unread is for the caller. A request that breaks off ends in `invalid_payload`, which nobody reads.
 * Sources: ingestion.md 3.1 steps 4 and 5, reliability rule A12.
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
  const wireBytesMax = encoding === 'identity' ? options.bytesMax : options.bytesMax + ENCODED_SLACK_BYTES;
  if (declaredBytes !== null && declaredBytes > wireBytesMax) {
    return Promise.resolve({ ok: false, problem: 'payload_too_large' });
  }
  return encoding === 'identity'
    ? readPlain(request, options)
    : readEncoded(request, options, encoding, wireBytesMax);
}

const EMPTY = Buffer.alloc(0);

/** Headers, empty blocks and incompressible data make an encoded body a little larger than its content. */
const ENCODED_SLACK_BYTES = 64 * 1024;

type Encoding = 'identity' | 'gzip' | 'deflate' | 'br' | 'zstd';

/** The one encoding of the header; null for a list of them and for every other word. */
function contentEncoding(header: string | undefined): Encoding | null {
  if (header === undefined) return 'identity';
  const word = header.trim().toLowerCase();
  switch (word) {
    case '':
    case 'identity':
      return 'identity';
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
function readPlain(request: IncomingMessage, options: ReadBodyOptions): Promise<ReadBodyResult> {
  return new Promise((resolve) => {
    const collected = collector(options);

    function onData(chunk: Buffer): void {
      const problem = collected.add(chunk);
      if (problem !== null) settle({ ok: false, problem });
    }
    function onEnd(): void {
      settle({ ok: true, bytes: collected.bytes() });
    }
    const settle = listen(request, options.silenceTimeoutMs, onData, onEnd, resolve);
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
    const collected = collector(options);
    let decoder: Decoder | null = null;
    let wireBytes = 0;

    function onData(chunk: Buffer): void {
      wireBytes += chunk.length;
      if (wireBytes > wireBytesMax) {
        settle({ ok: false, problem: 'payload_too_large' });
        return;
      }
      decoder ??= startDecoder(chunk);
      if (!decoder.write(chunk)) request.pause();
    }
    function startDecoder(firstChunk: Buffer): Decoder {
      const started = createDecoder(encoding, firstChunk);
      started.on('data', (chunk: Buffer) => {
        const problem = collected.add(chunk);
        if (problem !== null) settle({ ok: false, problem });
      });
      started.on('drain', () => request.resume());
      started.on('end', () => {
        // Decoders stop at the end of the stream and would leave what follows it unsaid.
        const isWhole = request.readableEnded && started.bytesWritten === wireBytes;
        settle(isWhole ? { ok: true, bytes: collected.bytes() } : { ok: false, problem: 'invalid_payload' });
      });
      started.on('error', () => settle({ ok: false, problem: 'invalid_payload' }));
      return started;
    }
    function onEnd(): void {
      if (decoder === null) settle({ ok: true, bytes: EMPTY });
      else decoder.end();
    }
    const settle = listen(request, options.silenceTimeoutMs, onData, onEnd, (result) => {
      decoder?.destroy();
      resolve(result);
    });
  });
}

/** Attaches the listeners of one read; the returned function detaches them and gives the first result. */
function listen(
  request: IncomingMessage,
  silenceTimeoutMs: number,
  onData: (chunk: Buffer) => void,
  onEnd: () => void,
  done: (result: ReadBodyResult) => void,
): (result: ReadBodyResult) => void {
  const { socket } = request;
  let isSettled = false;

  function settle(result: ReadBodyResult): void {
    if (isSettled) return;
    isSettled = true;
    request.off('data', onData);
    request.off('end', onEnd);
    request.off('close', onBroken);
    request.off('error', onBroken);
    request.off('timeout', onSilence);
    if (!socket.destroyed) socket.setTimeout(idleTimeoutMs);
    // Whatever still comes stays in the kernel until somebody decides about the connection.
    if (!result.ok) request.pause();
    done(result);
  }
  function onBroken(): void {
    // A request also closes after its proper end, while a decoder may still be at work.
    if (!request.readableEnded) settle({ ok: false, problem: 'invalid_payload' });
  }
  function onSilence(): void {
    settle({ ok: false, problem: 'request_timeout' });
  }

  // Set back afterwards, because handling may take longer than a body may be silent.
  const idleTimeoutMs = socket.timeout ?? 0;
  socket.setTimeout(silenceTimeoutMs);
  request.on('timeout', onSilence);
  request.on('data', onData);
  request.on('end', onEnd);
  request.on('close', onBroken);
  request.on('error', onBroken);
  return settle;
}

interface Collector {
  /** Keeps the chunk, or says why not. */
  add(chunk: Buffer): BodyProblem | null;
  bytes(): Buffer;
}

function collector(options: ReadBodyOptions): Collector {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  return {
    add(chunk) {
      sizeBytes += chunk.length;
      if (sizeBytes > options.bytesMax) return 'payload_too_large';
      if (options.takeBytes?.(chunk.length) === false) return 'service_unavailable';
      chunks.push(chunk);
      return null;
    },
    bytes() {
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
