// Proves 21.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeRaw } from './raw-http.ts';
import { type SampleServer, startSampleServer } from './sample-api.ts';

const INGESTION_LIMIT = 1_048_576;
const MANAGEMENT_LIMIT = 256 * 1024;
const HEADER_LIMIT = 16 * 1024;

let sample: SampleServer;

beforeAll(async () => {
  sample = await startSampleServer();
});
afterAll(() => sample.close());

interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Sent with a declared length, or in chunks when there are several. */
  body?: readonly Buffer[];
}

function send({ method, path, headers = {}, body = [] }: Sent): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port: sample.port, host: '127.0.0.1', method, path, headers, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) }),
        );
      },
    );
    outgoing.on('error', reject);
    if (body.length > 1) for (const piece of body) outgoing.write(piece);
    outgoing.end(body.length === 1 ? body[0] : undefined);
  });
}

const token = { authorization: 'Bearer project', 'content-type': 'application/json' };
const member = { authorization: 'Bearer member', 'content-type': 'application/json' };
const tooLarge = { status: 413, body: { error: 'payload_too_large' } };

function chunked(sizeBytes: number): Buffer[] {
  return Array.from({ length: 8 }, (_, index) =>
    Buffer.alloc(Math.floor(sizeBytes / 8) + (index === 0 ? sizeBytes % 8 : 0), 'a'),
  );
}

function jsonOfSize(sizeBytes: number): Buffer {
  const frame = '{"name":""}';
  return Buffer.from(`{"name":"${'a'.repeat(sizeBytes - frame.length)}"}`);
}

describe('the body limit of ingestion', () => {
  it.each([0, 1, INGESTION_LIMIT - 1, INGESTION_LIMIT])(
    'accepts %i bytes, declared or chunked',
    async (sizeBytes) => {
      const accepted = { status: 202, body: { received: sizeBytes } };
      expect(
        await send({
          method: 'POST',
          path: '/v1/events',
          headers: token,
          body: [Buffer.alloc(sizeBytes, 'a')],
        }),
      ).toEqual(accepted);
      expect(
        await send({ method: 'POST', path: '/v1/events', headers: token, body: chunked(sizeBytes) }),
      ).toEqual(accepted);
    },
  );

  it.each([INGESTION_LIMIT + 1, 5 * INGESTION_LIMIT])(
    'refuses %i bytes, declared or chunked',
    async (sizeBytes) => {
      expect(
        await send({
          method: 'POST',
          path: '/v1/events',
          headers: token,
          body: [Buffer.alloc(sizeBytes, 'a')],
        }),
      ).toEqual(tooLarge);
      expect(
        await send({ method: 'POST', path: '/v1/events', headers: token, body: chunked(sizeBytes) }),
      ).toEqual(tooLarge);
    },
  );

  it('refuses a declared length over the limit without waiting for a byte of it', async () => {
    const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer project\r\nContent-Length: ${INGESTION_LIMIT + 1}\r\n\r\n`;
    const { answers } = await exchangeRaw(sample.port, [head], { until: 1 });
    expect(answers.map(({ status, body }) => ({ status, body: JSON.parse(body) }))).toEqual([tooLarge]);
  });

  it('reaches a client that goes on sending, also when the connection is to be closed', async () => {
    for (let round = 0; round < 20; round += 1) {
      const connection = round % 2 === 0 ? 'close' : 'keep-alive';
      const headers = { ...token, connection };
      const body = chunked(4 * INGESTION_LIMIT);
      expect(await send({ method: 'POST', path: '/v1/events', headers, body })).toEqual(tooLarge);
    }
  });

  it('cuts the connection of a sender that does not stop', async () => {
    const head =
      'POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer project\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'a'), Buffer.from('\r\n')]);
    const { answers, isClosed } = await exchangeRaw(sample.port, [
      head,
      ...Array.from({ length: 200 }, () => chunk),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([413]);
    expect(isClosed).toBe(true);
  });
});

describe('the body limit elsewhere', () => {
  it('accepts exactly 256 KB, declared or chunked', async () => {
    const body = jsonOfSize(MANAGEMENT_LIMIT);
    const halves = [body.subarray(0, 100_000), body.subarray(100_000)];
    for (const pieces of [[body], halves]) {
      expect(
        (await send({ method: 'PATCH', path: '/v1/widgets/a', headers: member, body: pieces })).status,
      ).toBe(200);
    }
  });

  it('refuses one byte more, declared or chunked', async () => {
    const body = jsonOfSize(MANAGEMENT_LIMIT + 1);
    const halves = [body.subarray(0, 100_000), body.subarray(100_000)];
    for (const pieces of [[body], halves]) {
      expect(await send({ method: 'PATCH', path: '/v1/widgets/a', headers: member, body: pieces })).toEqual(
        tooLarge,
      );
    }
  });

  it('leaves the connection in step after a refused body', async () => {
    const body = Buffer.alloc(MANAGEMENT_LIMIT + 1, 'a');
    const head = `PATCH /v1/widgets/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer member\r\nContent-Length: ${body.length}\r\n\r\n`;
    const next = 'GET /live HTTP/1.1\r\nHost: x\r\n\r\n';
    const { answers, rest } = await exchangeRaw(sample.port, [head, body, next], { until: 2 });
    expect(answers.map(({ status }) => status)).toEqual([413, 200]);
    expect(rest).toBe('');
  });

  it('is not reached without a credential: the body is left unread', async () => {
    const body = [Buffer.alloc(MANAGEMENT_LIMIT + 1, 'a')];
    const { status } = await send({ method: 'PATCH', path: '/v1/widgets/a', headers: {}, body });
    expect(status).toBe(401);
  });

  it('does not apply to what a GET happens to carry', async () => {
    const body = [Buffer.alloc(MANAGEMENT_LIMIT + 1, 'a')];
    expect((await send({ method: 'GET', path: '/live', body })).status).toBe(200);
  });
});

describe('headers', () => {
  const line = 'GET /live HTTP/1.1\r\n';
  const host = 'Host: x\r\n';

  async function answerTo(head: string): Promise<{ status: number | undefined; body: string | undefined }> {
    const { answers } = await exchangeRaw(sample.port, [head], { until: 1 });
    return { status: answers[0]?.status, body: answers[0]?.body };
  }

  it('may be 100, and a hundred and first is refused', async () => {
    const more = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: a\r\n`).join('');
    expect((await answerTo(`${line}${host}${more(99)}\r\n`)).status).toBe(200);
    expect(await answerTo(`${line}${host}${more(100)}\r\n`)).toEqual({
      status: 431,
      body: '{"error":"payload_too_large"}',
    });
    expect((await answerTo(`${line}${host}${more(1500)}\r\n`)).status).toBe(431);
  });

  it('may take 16 KB with the request line, and no more', async () => {
    const padding = (sizeBytes: number) => `X: ${'a'.repeat(sizeBytes)}\r\n`;
    expect((await answerTo(`${line}${host}${padding(HEADER_LIMIT - 200)}\r\n`)).status).toBe(200);
    expect(await answerTo(`${line}${host}${padding(HEADER_LIMIT)}\r\n`)).toEqual({
      status: 431,
      body: '{"error":"payload_too_large"}',
    });
  });

  it('do not have to be few to be judged: a credential in the last of 100 counts', async () => {
    const more = Array.from({ length: 98 }, (_, index) => `X-${index}: a\r\n`).join('');
    const head = `GET /v1/widgets HTTP/1.1\r\n${host}${more}Authorization: Bearer member\r\n\r\n`;
    expect((await answerTo(head)).status).toBe(200);
  });
});

describe('a long target', () => {
  it.each([200, 5000, 15_000])('of %i characters is judged like a short one', async (length) => {
    const long = 'a'.repeat(length);
    expect((await send({ method: 'GET', path: `/v1/${long}` })).status).toBe(404);
    expect((await send({ method: 'GET', path: `/v1/documents/${long}` })).body).toEqual({
      error: 'invalid_incident_id',
    });
    expect((await send({ method: 'GET', path: `/v1/widgets?color=${long}`, headers: member })).status).toBe(
      200,
    );
    expect((await send({ method: 'GET', path: `/v1/${'/'.repeat(length)}` })).status).toBe(404);
    expect((await send({ method: 'GET', path: `/v1/documents/${'%2E'.repeat(length / 3)}` })).status).toBe(
      400,
    );
  });

  it('over the header limit is refused', async () => {
    const { answers } = await exchangeRaw(sample.port, [
      `GET /${'a'.repeat(HEADER_LIMIT)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ]);
    expect(answers.map(({ status }) => status)).toEqual([431]);
  });
});
