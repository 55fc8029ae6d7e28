// Proves 50.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeRaw, inPieces } from './raw-http.ts';
import { type SampleServer, startSampleServer } from './sample-api.ts';

let sample: SampleServer;

beforeAll(async () => {
  sample = await startSampleServer({
    limits: {
      headersTimeoutMs: 300,
      requestTimeoutMs: 300,
      connectionsCheckIntervalMs: 50,
      silentBodyTimeoutMs: 150,
    },
  });
});
afterAll(() => sample.close());

const live = 'GET /live HTTP/1.1\r\nHost: x\r\n\r\n';
const post = 'POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer project\r\n';

/** Bytes, the statuses they may be answered with in order, and whether the connection survives. */
const CORPUS: readonly [title: string, bytes: string | Buffer, statuses: number[], survives?: 'survives'][] =
  [
    ['no HTTP at all', 'hello\r\n\r\n', [400]],
    ['binary noise', Buffer.from([0, 1, 2, 3, 255, 254, 13, 10, 13, 10]), [400]],
    ['a TLS greeting', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc]), [400]],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
    ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n', [400]],
    ['a method in lower case', 'get /live HTTP/1.1\r\nHost: x\r\n\r\n', [400]],
    ['no version', 'GET /live\r\n\r\n', [400]],
    ['an unknown version', 'GET /live HTTP/9.9\r\nHost: x\r\n\r\n', [400]],
    ['a broken version', 'GET /live HTTP/1.1.1\r\nHost: x\r\n\r\n', [400]],
    ['two spaces before the target', 'GET  /live HTTP/1.1\r\nHost: x\r\n\r\n', [200], 'survives'],
    ['a space in the target', 'GET /li ve HTTP/1.1\r\nHost: x\r\n\r\n', [400]],
    ['a tab for a space', 'GET\t/live\tHTTP/1.1\r\nHost: x\r\n\r\n', [400]],
    ['a NUL in the target', 'GET /li\0ve HTTP/1.1\r\nHost: x\r\n\r\n', [400]],
    ['a control character in the target', 'GET /li\x01ve HTTP/1.1\r\nHost: x\r\n\r\n', [400]],
    ['an empty target', 'GET HTTP/1.1\r\nHost: x\r\n\r\n', [400]],
    ['no host', 'GET /live HTTP/1.1\r\n\r\n', [400], 'survives'],
    ['an old version without host', 'GET /live HTTP/1.0\r\n\r\n', [200]],
    ['a header without colon', 'GET /live HTTP/1.1\r\nHost: x\r\nBroken\r\n\r\n', [400]],
    ['a header with an empty name', 'GET /live HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n', [400]],
    ['a space before the colon', 'GET /live HTTP/1.1\r\nHost : x\r\n\r\n', [400]],
    ['a folded header', 'GET /live HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n', [400]],
    ['a NUL in a header', 'GET /live HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n', [400]],
    ['a bare line feed in a header', 'GET /live HTTP/1.1\r\nHost: x\r\nX: a\nY: b\r\n\r\n', [400]],
    ['a bare carriage return in a header', 'GET /live HTTP/1.1\r\nHost: x\r\nX: a\rY: b\r\n\r\n', [400]],
    ['bare line feeds as line ends', 'GET /live HTTP/1.1\nHost: x\n\n', [400]],
    ['a space in front of a header', 'GET /live HTTP/1.1\r\n Host: x\r\n\r\n', [400]],
    ['a negative length', `${post}Content-Length: -1\r\n\r\n`, [400]],
    ['a length that is no number', `${post}Content-Length: abc\r\n\r\n`, [400]],
    ['a length with a sign', `${post}Content-Length: +5\r\n\r\nhello`, [400]],
    ['a hexadecimal length', `${post}Content-Length: 0x5\r\n\r\nhello`, [400]],
    ['an empty length', `${post}Content-Length: \r\n\r\n`, [400]],
    ['a length beyond any number', `${post}Content-Length: 99999999999999999999999\r\n\r\n`, [400]],
    ['two different lengths', `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`, [400]],
    ['two equal lengths', `${post}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`, [400]],
    ['a list of lengths', `${post}Content-Length: 5, 5\r\n\r\nhello`, [400]],
    [
      'length and chunks together',
      `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      [400],
    ],
    [
      'chunks and length together',
      `${post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
      [400],
    ],
    ['an unknown transfer coding', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, [400]],
    ['chunked not last', `${post}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`, [400]],
    [
      'chunked twice',
      `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      [400],
    ],
    ['a vertical tab around chunked', `${post}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`, [400]],
    [
      'a chunk size that is no number',
      `${post}Transfer-Encoding: chunked\r\n\r\nZZ\r\nhello\r\n0\r\n\r\n`,
      [400],
    ],
    ['a negative chunk size', `${post}Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n`, [400]],
    [
      'a chunk size beyond any number',
      `${post}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`,
      [400],
    ],
    [
      'a chunk longer than its size',
      `${post}Transfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n`,
      [400],
    ],
    [
      'a chunk that ends with a bare line feed',
      `${post}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\n0\r\n\r\n`,
      [400],
    ],
    [
      'a bare line feed after the size',
      `${post}Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n`,
      [400],
    ],
    [
      'endless chunk extensions',
      `${post}Transfer-Encoding: chunked\r\n\r\n5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
      [413],
    ],
    [
      'a chunk extension',
      `${post}Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\n\r\n`,
      [202],
      'survives',
    ],
    [
      'trailers',
      `${post}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n`,
      [202],
      'survives',
    ],
    [
      'endless trailers',
      `${post}Transfer-Encoding: chunked\r\n\r\n0\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      [431],
    ],
    ['a body cut off by silence', `${post}Content-Length: 10\r\n\r\nhell`, [408]],
    ['chunks cut off by silence', `${post}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`, [408]],
    ['headers cut off by silence', 'GET /live HTTP/1.1\r\nHos', [408]],
    ['silence', '', [408]],
    ['an unknown expectation', `${post}Expect: a-pony\r\nContent-Length: 5\r\n\r\nhello`, [202], 'survives'],
    [
      'an expected continue',
      `${post}Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello`,
      [202],
      'survives',
    ],
    [
      'an upgrade',
      'GET /live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      [200],
    ],
    ['a tunnel', 'CONNECT example.test:443 HTTP/1.1\r\nHost: x\r\n\r\n', [404]],
    ['a trace', 'TRACE /live HTTP/1.1\r\nHost: x\r\n\r\n', [404], 'survives'],
    ['a query method', 'QUERY /live HTTP/1.1\r\nHost: x\r\n\r\n', [404], 'survives'],
    ['options for the whole server', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', [404], 'survives'],
    ['an absolute target', 'GET http://example.test/live HTTP/1.1\r\nHost: x\r\n\r\n', [200], 'survives'],
    ['an undecodable target', 'GET /v1/%zz HTTP/1.1\r\nHost: x\r\n\r\n', [404], 'survives'],
    ['dots in the target', 'GET /v1/../live HTTP/1.1\r\nHost: x\r\n\r\n', [404], 'survives'],
    ['bytes over 127 in the target', Buffer.from('GET /\xe4 HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1'), [400]],
    ['a fragment in the target', 'GET /live#x HTTP/1.1\r\nHost: x\r\n\r\n', [400], 'survives'],
    ['empty lines before a request', `\r\n\r\n${live}`, [200], 'survives'],
    [
      'a body nobody asked for',
      'GET /live HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello',
      [200],
      'survives',
    ],
    ['a hidden request in a body', `${post}Content-Length: ${live.length}\r\n\r\n${live}`, [202], 'survives'],
    [
      'a hidden request in a refused body',
      `PATCH /v1/widgets/a HTTP/1.1\r\nHost: x\r\nContent-Length: ${live.length}\r\n\r\n${live}`,
      [401],
      'survives',
    ],
    [
      'a hidden request in the body of an unknown route',
      `POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: ${live.length}\r\n\r\n${live}`,
      [404],
      'survives',
    ],
    ['two requests at once', live + live, [200, 200], 'survives'],
    ['twenty requests at once', live.repeat(20), Array.from({ length: 20 }, () => 200), 'survives'],
    ['a good request, then noise', `${live}noise\r\n\r\n`, [200, 400]],
    ['a good request, then a broken length', `${live}${post}Content-Length: x\r\n\r\n`, [200, 400]],
    [
      'a refused body that breaks',
      `PATCH /v1/widgets/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n`,
      [401],
    ],
  ];

async function expectAnswers(
  pieces: (string | Buffer)[],
  statuses: number[],
  survives: boolean,
): Promise<void> {
  // A second request behind the first shows whether the connection is still in step.
  const expected = survives ? [...statuses, 200] : statuses;
  const { answers, rest, isClosed } = await exchangeRaw(
    sample.port,
    survives ? [...pieces, live] : pieces,
    survives ? { until: expected.length } : {},
  );
  expect(answers.map(({ status }) => status)).toEqual(expected);
  expect(rest).toBe('');
  for (const { status, headers, body } of answers) {
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    if (status >= 400) expect(body).toMatch(/^\{"error":"[a-z_]+"\}$/);
  }
  if (!survives) expect(isClosed).toBe(true);
}

describe('broken HTTP', () => {
  it.each(CORPUS)('%s', async (_title, bytes, statuses, survives) => {
    for (const pieces of [[bytes], inPieces(bytes, 40)]) {
      await expectAnswers(pieces, statuses, survives === 'survives');
    }
  });

  it('gets its answer after the answers to the requests before it', async () => {
    const slow = await startSampleServer({
      prepare: ({ server }) => {
        server.app.get('/slow', { config: { access: 'public' } }, async (_request, reply) => {
          await new Promise((resolve) => setTimeout(resolve, 100));
          return reply.header('content-type', 'application/json; charset=utf-8').send('{"slow":true}');
        });
      },
    });
    const { answers } = await exchangeRaw(slow.port, ['GET /slow HTTP/1.1\r\nHost: x\r\n\r\nnoise\r\n\r\n']);
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, '{"slow":true}'],
      [400, '{"error":"invalid_payload"}'],
    ]);
    await slow.close();
  });

  it.each<[title: string, bytes: string, status: number]>([
    ['a target that is too long', `HEAD /${'%61'.repeat(600)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['a broken header', 'HEAD /live HTTP/1.1\r\nHost: x\r\nBroken\r\n\r\n', 400],
    ['chunks in an old version', 'HEAD /live HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
  ])('is answered without a body where it is HEAD: %s', async (_title, bytes, status) => {
    const short = await startSampleServer({ limits: { headerBytesMax: 1024 } });
    const { answers, rest, isClosed } = await exchangeRaw(short.port, [bytes], { methods: ['HEAD'] });
    expect([answers.map((answer) => answer.status), rest, isClosed]).toEqual([[status], '', true]);
    expect(Number(answers[0]?.headers.get('content-length'))).toBeGreaterThan(0);
    await short.close();
  });

  it('is answered with a body where only the request before it is HEAD', async () => {
    const bytes = `HEAD /live HTTP/1.1\r\nHost: x\r\n\r\n${post}Content-Length: x\r\n\r\n`;
    const { answers, rest } = await exchangeRaw(sample.port, [bytes], { methods: ['HEAD', 'POST'] });
    expect(answers.map(({ body }) => body)).toEqual(['', '{"error":"invalid_payload"}']);
    expect(rest).toBe('');
  });

  it('leaves no request behind in the counters', async () => {
    await expect.poll(() => sample.server.load.ingestion.requestsInFlight).toBe(0);
    expect(sample.server.load.ingestion.bytesInFlight).toBe(0);
    expect(sample.server.load.management.requestsInFlight).toBe(0);
  });
});
