// Proves 21.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit, type TestProject } from '../../support/culprit.ts';
import { clientOf } from '../../support/incident-client.ts';
import { readStoredBatches } from '../../support/stored-events.ts';
import { exchangeRaw } from './raw-http.ts';

/** docs/contract/reliability.md test 21 at the real `POST /v1/events`: the limit of a body, to the byte. */

const LIMIT_BYTES = 1_048_576;
const CHUNK_BYTES = 100_000;

let culprit: TestCulprit;
let project: TestProject;

beforeAll(async () => {
  culprit = await startCulprit();
  project = await culprit.createProject();
});
afterAll(() => culprit.stop());

/** A batch of one exception, filled up with its message. */
function batchOfBytes(sizeBytes: number): Buffer {
  const body = JSON.stringify({
    events: [
      {
        event_type: 'backend_exception',
        timestamp: '2026-03-24T10:30:00Z',
        service: { name: 'api-server', environment: 'production' },
        payload: { name: 'TypeError', message: '' },
      },
    ],
  });
  return Buffer.from(
    body.replace('"message":""', `"message":"${'x'.repeat(sizeBytes - Buffer.byteLength(body))}"`),
  );
}

/** Sends a body with its length declared, or in chunks without one. */
function send(
  body: Buffer,
  options: { token?: string; isChunked?: boolean } = {},
): Promise<{ status: number; body: unknown }> {
  const { token = project.projectToken, isChunked = false } = options;
  const headers: Record<string, string | number> = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    ...(isChunked ? {} : { 'content-length': body.length }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${culprit.url}/v1/events`,
      { method: 'POST', headers, agent: false },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
      },
    );
    outgoing.on('error', reject);
    for (let start = 0; start < body.length; start += CHUNK_BYTES) {
      outgoing.write(body.subarray(start, start + CHUNK_BYTES));
    }
    outgoing.end();
  });
}

const accepted = {
  status: 202,
  body: { accepted: 1, rejected: 0, errors: [], probe_directives: { active_probes: [] } },
};
const tooLarge = { status: 413, body: { error: 'payload_too_large' } };
const unknownToken = { status: 401, body: { error: 'invalid_project_token' } };

describe('a body of exactly the limit', () => {
  it.each([
    ['with a declared length', false],
    ['in chunks', true],
  ])('%s is accepted, stored whole and counted', async (_name, isChunked) => {
    const fresh = await culprit.createProject();
    const body = batchOfBytes(LIMIT_BYTES);
    expect(body.length).toBe(LIMIT_BYTES);
    expect(await send(body, { token: fresh.projectToken, isChunked })).toEqual(accepted);
    const [batch] = await readStoredBatches(culprit, fresh.projectId);
    expect(batch?.records.map((record) => record.eventBytes.length)).toEqual([
      LIMIT_BYTES - '{"events":[]}'.length,
    ]);
    expect(await clientOf(culprit, fresh).only()).toMatchObject({ occurrence_count: 1 });
  });
});

describe('a body of one byte more', () => {
  it.each([
    ['with a declared length', false],
    ['in chunks', true],
  ])('%s is refused', async (_name, isChunked) => {
    expect(await send(batchOfBytes(LIMIT_BYTES + 1), { isChunked })).toEqual(tooLarge);
  });

  it('is refused on its declared length alone', async () => {
    const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${project.projectToken}\r\nContent-Type: application/json\r\nContent-Length: ${LIMIT_BYTES + 1}\r\n\r\n`;
    const { answers } = await exchangeRaw(port(), [head], { until: 1 });
    expect(answers.map(({ status, body }) => ({ status, body: JSON.parse(body) }))).toEqual([tooLarge]);
  });

  it('is refused in chunks before its end came', async () => {
    const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${project.projectToken}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `${CHUNK_BYTES.toString(16)}\r\n${'x'.repeat(CHUNK_BYTES)}\r\n`;
    const { answers } = await exchangeRaw(port(), [head, ...Array<string>(11).fill(chunk)], { until: 1 });
    expect(answers.map(({ status, body }) => ({ status, body: JSON.parse(body) }))).toEqual([tooLarge]);
  });

  it.each([
    ['with a declared length', false],
    ['in chunks', true],
  ])('%s and with a wrong token is unauthorized', async (_name, isChunked) => {
    for (const token of [
      `${project.projectToken.slice(0, -4)}0000`,
      'svc_proj_unknown',
      project.memberToken,
    ]) {
      expect(await send(batchOfBytes(LIMIT_BYTES + 1), { token, isChunked })).toEqual(unknownToken);
    }
  });

  it('leaves its connection in step for the next request', async () => {
    const requestOf = (body: Buffer) => [
      `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${project.projectToken}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      body,
    ];
    const { answers } = await exchangeRaw(
      port(),
      [...requestOf(batchOfBytes(LIMIT_BYTES + 1)), ...requestOf(batchOfBytes(LIMIT_BYTES))],
      { until: 2 },
    );
    expect(answers.map(({ status }) => status)).toEqual([413, 202]);
  });
});

describe('a body of many events', () => {
  it('is answered event by event up to the limit', async () => {
    const items = Math.floor((LIMIT_BYTES - '{"events":[]}'.length + 1) / 2);
    const answer = await send(Buffer.from(`{"events":[${Array(items).fill('7').join()}]}`));
    expect(answer.status).toBe(202);
    const {
      accepted: count,
      rejected,
      errors,
    } = answer.body as {
      accepted: number;
      rejected: number;
      errors: { index: number; reason: string }[];
    };
    expect({ count, rejected, errors: errors.length }).toEqual({ count: 0, rejected: items, errors: items });
    expect(errors.every(({ index, reason }, at) => index === at && reason === 'invalid_event')).toBe(true);
  });
});

function port(): number {
  return Number(new URL(culprit.url).port);
}
