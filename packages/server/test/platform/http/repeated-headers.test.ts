import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeRaw } from './raw-http.ts';
import { type SampleServer, startSampleServer } from './sample-api.ts';

/** Two readers of such a request, a proxy and we, might each believe another one of the two. */
describe('a header that may come once', () => {
  let sample: SampleServer;

  beforeAll(async () => {
    sample = await startSampleServer();
  });
  afterAll(() => sample.close());

  async function answerTo(path: string, lines: readonly string[], method = 'GET') {
    const request = [`${method} ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n');
    const { answers } = await exchangeRaw(sample.port, [request]);
    return answers.map(({ status, body }) => [status, JSON.parse(body).error]);
  }

  it.each([
    ['the same', ['Host: x', 'Host: x']],
    ['another', ['Host: x', 'Host: y']],
    ['an empty one', ['Host: x', 'Host:']],
    ['one in other letters', ['host: x', 'HOST: y']],
    ['another far away', ['Host: x', 'A: b', 'Authorization: Bearer member', 'Host: y']],
  ])('is refused with 400 when it is Host and comes with %s', async (_title, lines) => {
    for (const path of ['/v1/widgets', '/live', '/nowhere']) {
      expect([path, await answerTo(path, lines)]).toEqual([path, [[400, 'invalid_payload']]]);
    }
  });

  it.each([
    ['the same', ['Authorization: Bearer member', 'Authorization: Bearer member']],
    ['another', ['Authorization: Bearer member', 'Authorization: Bearer other']],
    ['another before it', ['Authorization: Bearer other', 'Authorization: Bearer member']],
    ['an empty one', ['Authorization: Bearer member', 'Authorization:']],
    ['one in other letters', ['authorization: Bearer member', 'AUTHORIZATION: Bearer member']],
    ['another beside a cookie', ['Authorization:', 'Authorization:', 'Cookie: svc_session=good']],
  ])('is refused with 401 when it is Authorization and comes with %s', async (_title, lines) => {
    expect(await answerTo('/v1/widgets', ['Host: x', ...lines])).toEqual([[401, 'invalid_member_token']]);
  });

  it('is taken when it comes once', async () => {
    expect(await answerTo('/v1/widgets', ['Host: x', 'Authorization: Bearer member'])).toEqual([
      [200, undefined],
    ]);
  });
});
