// Proves 50.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeRaw, inPieces } from './raw-http.ts';
import { type SampleServer, startSampleServer } from './sample-api.ts';
import { AMBIGUOUS, HIDDEN_PATH, UNAMBIGUOUS } from './smuggling-corpus.ts';

/**
 * docs/contract/reliability.md test 50, second half: nobody can make two readers of one connection disagree about its
 * requests.
 */

const live = 'GET /live HTTP/1.1\r\nHost: x\r\n\r\n';

let sample: SampleServer;
beforeAll(async () => {
  sample = await startSampleServer();
});
afterAll(() => sample.close());

function documentsRead(): number {
  return sample.logged.filter(({ route }) => route === '/v1/documents/:id').length;
}

describe('a request that is hidden in another', () => {
  it.each(AMBIGUOUS)('is refused with the connection: %s', async (_title, bytes) => {
    for (const pieces of [[bytes], inPieces(bytes, 40)]) {
      const { answers, rest, isClosed } = await exchangeRaw(sample.port, [...pieces, live]);
      const bodies = answers.map(({ status, body }) => [status, body]);
      expect(bodies).toEqual([[400, '{"error":"invalid_payload"}']]);
      expect([rest, isClosed, documentsRead()]).toEqual(['', true, 0]);
    }
  });

  it.each(UNAMBIGUOUS)('is a part of its body: %s', async (_title, bytes, statuses) => {
    const expected = [...statuses, 200];
    for (const pieces of [[bytes], inPieces(bytes, 40)]) {
      const until = expected.length;
      const { answers, rest } = await exchangeRaw(sample.port, [...pieces, live], { until });
      expect(answers.map(({ status }) => status)).toEqual(expected);
      expect(answers.at(-1)?.body).toBe('{"status":"live"}');
      expect([rest, documentsRead()]).toEqual(['', 0]);
    }
  });

  it('would be seen here if it were answered', async () => {
    await exchangeRaw(sample.port, [`GET ${HIDDEN_PATH} HTTP/1.1\r\nHost: x\r\n\r\n`], { until: 1 });
    await expect.poll(documentsRead).toBe(1);
  });
});
