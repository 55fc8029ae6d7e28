// Proves 22.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ReadBodyOptions,
  type ReadBodyResult,
  readBody,
} from '../../../src/platform/http/binding/read-body.ts';

const LIMIT = 100_000;

let server: Server;
let port: number;
let options: ReadBodyOptions;
let results: { result: ReadBodyResult; socketTimeoutMs: number | undefined }[] = [];

beforeAll(async () => {
  server = createServer(async (incoming, response) => {
    const result = await readBody(incoming, options);
    results.push({ result, socketTimeoutMs: incoming.socket.timeout });
    response.end(result.ok ? String(result.bytes.length) : result.problem);
    incoming.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const defaults: ReadBodyOptions = { bytesMax: LIMIT, silenceTimeoutMs: 5000, decodes: true };

/** What `readBody` made of a body that is sent in pieces, with a declared length unless `isChunked`. */
async function read(
  pieces: readonly Buffer[],
  headers: Record<string, string> = {},
  overrides: Partial<ReadBodyOptions> & { isChunked?: boolean } = {},
): Promise<Summary> {
  const { isChunked, ...rest } = overrides;
  options = { ...defaults, ...rest };
  results = [];
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  await new Promise<void>((resolve) => {
    const outgoing = request(
      {
        port,
        host: '127.0.0.1',
        method: 'POST',
        agent: false,
        headers:
          isChunked === true
            ? { ...headers, 'transfer-encoding': 'chunked' }
            : { ...headers, 'content-length': length },
      },
      (response) => response.resume().on('end', resolve),
    );
    // An early answer may cut off the rest; what counts is what was read.
    outgoing.on('error', () => resolve());
    const send = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined) outgoing.end();
      else outgoing.write(piece, () => setImmediate(send, index + 1));
    };
    send(0);
  });
  await expect.poll(() => results.length).toBe(1);
  const [first] = results;
  if (first === undefined) throw new Error('nothing was read');
  return summaryOf(first.result);
}

type Summary = { ok: true; sha256: string; sizeBytes: number } | { ok: false; problem: string };

/** Short enough to be read when a test fails. */
function summaryOf(result: ReadBodyResult): Summary {
  if (!result.ok) return result;
  const { bytes } = result;
  return { ok: true, sha256: createHash('sha256').update(bytes).digest('hex'), sizeBytes: bytes.length };
}

function inPieces(bytes: Buffer, count: number): Buffer[] {
  const size = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

const text = Buffer.from(
  JSON.stringify({ events: Array.from({ length: 500 }, (_, index) => ({ index, word: 'lorem' })) }),
);
const ENCODERS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};
const encodings = Object.entries(ENCODERS);

describe('a plain body', () => {
  it.each([true, false])('comes out as it went in, in one piece or many (chunked: %s)', async (isChunked) => {
    for (const count of [1, 2, 50]) {
      expect(await read(inPieces(text, count), {}, { isChunked })).toEqual(
        summaryOf({ ok: true, bytes: text }),
      );
    }
  });

  it('may be empty, or absent', async () => {
    const empty = summaryOf({ ok: true, bytes: Buffer.alloc(0) });
    expect(await read([])).toEqual(empty);
    expect(await read([], {}, { isChunked: true })).toEqual(empty);
    expect(await read([], { 'content-encoding': 'gzip' }, { isChunked: true })).toEqual(empty);
  });

  it.each([true, false])('ends at the limit exactly (chunked: %s)', async (isChunked) => {
    expect((await read([Buffer.alloc(LIMIT, 'a')], {}, { isChunked })).ok).toBe(true);
    expect(await read([Buffer.alloc(LIMIT + 1, 'a')], {}, { isChunked })).toEqual({
      ok: false,
      problem: 'payload_too_large',
    });
  });

  it('counts its bytes with the caller, who may have no room', async () => {
    const taken: number[] = [];
    await read(inPieces(text, 3), {}, { takeBytes: (sizeBytes) => taken.push(sizeBytes) > 0 });
    expect(taken.reduce((a, b) => a + b, 0)).toBe(text.length);
    expect(await read([text], {}, { takeBytes: () => false })).toEqual({
      ok: false,
      problem: 'service_unavailable',
    });
  });

  it.each([{}, { 'content-encoding': 'gzip' }])(
    'is read no further until its bytes are granted, which is no silence of the client (%j)',
    async (headers) => {
      const plain = randomBytes(LIMIT);
      const wire = headers['content-encoding'] === undefined ? plain : gzipSync(plain);
      let asked = 0;
      let areAsked = 0;
      const summary = await read([wire], headers, {
        silenceTimeoutMs: 60,
        takeBytes: async () => {
          areAsked += 1;
          asked = Math.max(asked, areAsked);
          await new Promise((resolve) => setTimeout(resolve, 150));
          areAsked -= 1;
          return true;
        },
      });
      expect(summary).toMatchObject({ ok: true, sizeBytes: LIMIT });
      expect(asked).toBe(1);
    },
  );

  it('whose bytes are not granted in the end is refused', async () => {
    const summary = await read([Buffer.alloc(LIMIT)], {}, { takeBytes: async () => false });
    expect(summary).toEqual({ ok: false, problem: 'service_unavailable' });
  });

  it('keeps its encoding where it is not to be decoded', async () => {
    const bytes = gzipSync(text);
    expect(await read([bytes], { 'content-encoding': 'gzip' }, { decodes: false })).toEqual(
      summaryOf({ ok: true, bytes }),
    );
  });

  it('that falls silent is given up, and the socket keeps its own timeout afterwards', async () => {
    options = { ...defaults, silenceTimeoutMs: 50 };
    results = [];
    server.setTimeout(7000);
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhell');
    await expect.poll(() => results.length).toBe(1);
    expect(results[0]?.result).toEqual({ ok: false, problem: 'request_timeout' });
    expect(results[0]?.socketTimeoutMs).toBe(7000);
    socket.destroy();
    server.setTimeout(0);
  });

  it('that breaks off ends the read', async () => {
    for (const encoding of ['identity', 'gzip']) {
      options = defaults;
      results = [];
      const socket = connect(port, '127.0.0.1');
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: ${encoding}\r\nContent-Length: 10\r\n\r\nhell`,
      );
      socket.end();
      socket.resume();
      await expect.poll(() => results.length).toBe(1);
      expect(results[0]?.result).toEqual({ ok: false, problem: 'invalid_payload' });
      socket.destroy();
    }
  });
});

describe.each(encodings)('a body in %s', (encoding, encode) => {
  const headers = { 'content-encoding': encoding };

  it('is decoded, in one piece or byte by byte', async () => {
    const bytes = encode(text);
    for (const pieces of [[bytes], inPieces(bytes, bytes.length)]) {
      expect(await read(pieces, headers, { isChunked: true })).toEqual(summaryOf({ ok: true, bytes: text }));
    }
    expect((await read([bytes], { 'content-encoding': ` ${encoding.toUpperCase()} ` })).ok).toBe(true);
  });

  it('has its limit on the decoded bytes, exactly', async () => {
    expect((await read([encode(Buffer.alloc(LIMIT, 'a'))], headers)).ok).toBe(true);
    expect(await read([encode(Buffer.alloc(LIMIT + 1, 'a'))], headers)).toEqual({
      ok: false,
      problem: 'payload_too_large',
    });
  });

  it('is refused when it is cut off, damaged or something else', async () => {
    const bytes = encode(text);
    const damaged = Buffer.from(bytes);
    damaged.fill(0xff, 0, 20);
    const trailed = Buffer.concat([bytes, Buffer.from('something more')]);
    for (const broken of [
      bytes.subarray(0, bytes.length - 5),
      bytes.subarray(0, 5),
      damaged,
      trailed,
      text,
    ]) {
      expect(await read([broken], headers)).toEqual({ ok: false, problem: 'invalid_payload' });
    }
  });

  it('that would grow without end is stopped at the limit', async () => {
    const bomb = encode(Buffer.alloc(64 * 1024 * 1024));
    const pieces = inPieces(bomb, 20);
    // The first run loads code; what is measured is one read in a warm process.
    await read(pieces, headers, { isChunked: true });
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    const limits = { isChunked: true, bytesMax: 1_048_576 };
    expect(await read(pieces, headers, limits)).toEqual({ ok: false, problem: 'payload_too_large' });
    expect(process.memoryUsage().rss - before).toBeLessThan(8 * 1024 * 1024);
  });
});

describe('decoding', () => {
  it.each(encodings)(
    'refuses what follows the end of a %s stream, also when it comes later',
    async (encoding, encode) => {
      const pieces = [encode(text), Buffer.from('some'), Buffer.from('thing')];
      expect(await read(pieces, { 'content-encoding': encoding }, { isChunked: true })).toEqual({
        ok: false,
        problem: 'invalid_payload',
      });
    },
  );

  it('takes deflate without its header too', async () => {
    expect(await read([deflateRawSync(text)], { 'content-encoding': 'deflate' })).toEqual(
      summaryOf({ ok: true, bytes: text }),
    );
  });

  it('takes several gzip members in a row', async () => {
    const bytes = Buffer.concat([gzipSync(text.subarray(0, 100)), gzipSync(text.subarray(100))]);
    expect(await read([bytes], { 'content-encoding': 'gzip' })).toEqual(summaryOf({ ok: true, bytes: text }));
  });

  it.each(['x-deflate', 'compress', 'gzip, br', 'gzip,gzip', 'nonsense', '*'])(
    'refuses the encoding %s',
    async (encoding) => {
      expect(await read([gzipSync(text)], { 'content-encoding': encoding })).toEqual({
        ok: false,
        problem: 'invalid_payload',
      });
    },
  );

  it('stops an encoded stream that never yields anything', async () => {
    // Empty members decode to nothing, however many there are.
    const member = gzipSync(Buffer.alloc(0));
    const bytes = Buffer.concat(Array.from({ length: 20_000 }, () => member));
    const result = await read(inPieces(bytes, 10), { 'content-encoding': 'gzip' }, { isChunked: true });
    expect(result).toEqual({ ok: false, problem: 'payload_too_large' });
  });

  it('refuses a zstd frame that asks for a window beyond all ordinary levels', async () => {
    const bytes = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024), {
      params: { [constants.ZSTD_c_windowLog]: 26, [constants.ZSTD_c_contentSizeFlag]: 0 },
    });
    const result = await read([bytes], { 'content-encoding': 'zstd' });
    expect(result).toEqual({ ok: false, problem: 'invalid_payload' });
  });
});
