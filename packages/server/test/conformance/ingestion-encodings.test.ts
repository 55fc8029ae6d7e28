import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { readStoredBatches } from '../support/stored-events.ts';

/** Compressed bodies: docs/contract/ingestion.md 3.1. */

const LIMIT_BYTES = 1_048_576;
const EVENT = {
  event_type: 'log_event',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'api-server', environment: 'production' },
  payload: { level: 'error', message: 'payment failed' },
};
const BODY = JSON.stringify({ events: [EVENT] });

const ENCODERS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const;

let culprit: TestCulprit;
let project: TestProject;

beforeAll(async () => {
  culprit = await shareCulprit();
  project = await culprit.createProject();
});
afterAll(() => culprit.stop());

function send(encoding: string, body: Uint8Array<ArrayBufferLike>, token = project.projectToken) {
  return sendRequest(`${culprit.url}/v1/events`, {
    token,
    headers: { 'content-encoding': encoding },
    body: new Uint8Array(body),
  });
}

const accepted = {
  status: 202,
  body: { accepted: 1, rejected: 0, errors: [], probe_directives: { active_probes: [] } },
};
const invalid = { status: 400, body: { error: 'invalid_payload' } };
const tooLarge = { status: 413, body: { error: 'payload_too_large' } };

/** A valid batch of exactly this many bytes, of which compression leaves little. */
function bodyOfBytes(sizeBytes: number): string {
  return `${BODY.slice(0, -1)}${' '.repeat(sizeBytes - BODY.length)}}`;
}

function expectAnswer(answer: Answer, wanted: { status: number; body: object }): void {
  expect({ status: answer.status, body: answer.body }).toEqual(wanted);
}

describe.each(ENCODERS)('a body encoded with %s', (encoding, encode) => {
  it('is accepted and stored as the events it holds', async () => {
    const fresh = await culprit.createProject();
    expectAnswer(await send(encoding, encode(BODY), fresh.projectToken), accepted);
    const [batch] = await readStoredBatches(culprit, fresh.projectId);
    expect(batch?.records.map((record) => record.eventBytes.toString())).toEqual([JSON.stringify(EVENT)]);
  });

  it('is named in any case and with spaces around it', async () => {
    expectAnswer(await send(` ${encoding.toUpperCase()} `, encode(BODY)), accepted);
  });

  it('counts its decoded bytes against the limit', async () => {
    expectAnswer(await send(encoding, encode(bodyOfBytes(LIMIT_BYTES))), accepted);
    expectAnswer(await send(encoding, encode(bodyOfBytes(LIMIT_BYTES + 1))), tooLarge);
  });

  it('is refused when it would become a hundred times the limit', async () => {
    expectAnswer(await send(encoding, encode(Buffer.alloc(100 * LIMIT_BYTES, 0x20))), tooLarge);
  });

  it('is refused when its end is missing', async () => {
    const whole = encode(BODY);
    for (const keptBytes of [1, 5, Math.floor(whole.length / 2), whole.length - 1]) {
      expectAnswer(await send(encoding, whole.subarray(0, keptBytes)), invalid);
    }
  });

  it('is refused when it is not what it says', async () => {
    expectAnswer(await send(encoding, Buffer.from(BODY)), invalid);
    expectAnswer(await send(encoding, Buffer.from([0xff, 0x00, 0xff, 0x00, 0xff])), invalid);
  });

  it('is refused when it decodes to no batch', async () => {
    expectAnswer(await send(encoding, encode('')), invalid);
    expectAnswer(await send(encoding, encode('{"events":[')), invalid);
    expectAnswer(await send(encoding, encode(encode(BODY))), invalid);
  });

  it('is judged after the token', async () => {
    const unknown = `${project.projectToken.slice(0, -4)}0000`;
    for (const body of [encode(BODY), encode(BODY).subarray(0, 5), encode(bodyOfBytes(LIMIT_BYTES + 1))]) {
      expectAnswer(await send(encoding, body, unknown), {
        status: 401,
        body: { error: 'invalid_project_token' },
      });
    }
  });
});

describe('a body with another encoding', () => {
  it.each(['compress', 'x-deflate', 'gzip, gzip', 'gzip, br', 'aws-chunked', 'utf-8', 'gzip;q=1'])(
    'is refused: %s',
    async (encoding) => {
      expectAnswer(await send(encoding, gzipSync(BODY)), invalid);
    },
  );

  it.each(['x-gzip', 'X-GZip', 'identity, gzip', 'gzip , Identity', ',gzip,'])(
    'is decoded when it is %s',
    async (encoding) => {
      expectAnswer(await send(encoding, gzipSync(BODY)), accepted);
    },
  );

  it('is taken as it is when the encoding is identity or empty', async () => {
    expectAnswer(await send('identity', Buffer.from(BODY)), accepted);
    expectAnswer(await send('', Buffer.from(BODY)), accepted);
  });

  it('is decoded when it is deflate without the zlib header', async () => {
    expectAnswer(await send('deflate', deflateRawSync(BODY)), accepted);
  });

  it('is the content of all its gzip members, and refused when that is no batch', async () => {
    const [first, second] = [gzipSync(`${BODY}   `), gzipSync('  ')];
    expectAnswer(await send('gzip', Buffer.concat([first, second])), accepted);
    expectAnswer(await send('gzip', Buffer.concat([first, gzipSync(BODY)])), invalid);
  });

  it('is refused when its checksum is wrong', async () => {
    const body = gzipSync(BODY);
    body.writeUInt32LE((body.readUInt32LE(body.length - 8) ^ 1) >>> 0, body.length - 8);
    expectAnswer(await send('gzip', body), invalid);
  });
});

describe('refused encoded bodies', () => {
  it('leave nothing behind', async () => {
    const fresh = await culprit.createProject();
    for (const [encoding, encode] of ENCODERS) {
      await send(encoding, encode(BODY).subarray(0, 9), fresh.projectToken);
      await send(encoding, encode(bodyOfBytes(LIMIT_BYTES + 1)), fresh.projectToken);
    }
    expect(await readStoredBatches(culprit, fresh.projectId)).toEqual([]);
    const again = await send('gzip', gzipSync(BODY), fresh.projectToken);
    expectAnswer(again, accepted);
  });
});
