import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SampleServer, startSampleServer } from './sample-api.ts';

describe('the header that explains a refused body', () => {
  let sample: SampleServer;

  beforeAll(async () => {
    sample = await startSampleServer({ appOrigins: ['https://app.example.com'] });
  });
  afterAll(() => sample.close());

  async function problemOf(body: string | Buffer, headers: Record<string, string> = {}) {
    const response = await fetch(`${sample.address}/v1/widgets/a`, {
      method: 'PATCH',
      headers: { authorization: 'Bearer member', 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    expect([response.status, await response.json()]).toEqual([400, { error: 'invalid_payload' }]);
    return response.headers.get('x-service-problem');
  }

  it.each([
    ['', 'the body: is not JSON, or ends too early'],
    ['{"name":', 'the body: is not JSON, or ends too early'],
    ['{"name":"secret" x}', 'the body: is not JSON at character 17'],
    ['[]', 'the body: must be an object'],
    ['{}', '/name: is missing'],
    ['{"name":1}', '/name: must be a string'],
    ['{"name":""}', '/name: must have at least 1 characters'],
    ['{"name":"n","size":"5"}', '/size: must be a whole number'],
    ['{"name":"n","zz":1}', '/zz: is not a known field'],
    ['{"name":"n","a/b~c":1}', '/a~1b~0c: is not a known field'],
    ['{"name":"n","a b\\r\\nX: y":1}', '/a%20b%0D%0AX:%20y: is not a known field'],
    ['{"name":"n","__proto__":{}}', '/__proto__: is not a known field'],
    ['{"name":"n","\u{1f600}":1}', '/%F0%9F%98%80: is not a known field'],
    ['{"name":"a\\u0000b"}', '/name: contains NUL or half of a surrogate pair'],
    ['{"name":"n","zz":[0,{"a/b":"\\ud800"}]}', '/zz/1/a~1b: contains NUL or half of a surrogate pair'],
    ['{"name":"n","z\\u0000":1}', '/z%00: contains NUL or half of a surrogate pair'],
    ['"\\u0000"', 'the body: contains NUL or half of a surrogate pair'],
  ])('says of %j: %s', async (body, words) => {
    expect(await problemOf(body)).toBe(words);
  });

  it('says what is wrong with the form of the body', async () => {
    expect(await problemOf('{"name":"n"}', { 'content-type': 'text/plain' })).toBe(
      'the body: must have the Content-Type application/json',
    );
    expect(await problemOf('{"name":"n"}', { 'content-encoding': 'gzip' })).toBe(
      'the body: must not be compressed',
    );
    expect(await problemOf(Buffer.from([0x22, 0xff, 0x22]))).toBe('the body: is not UTF-8');
  });

  it('is bounded and plain, whatever names and values are sent', async () => {
    for (const name of ['x'.repeat(100_000), 'ä'.repeat(50_000), '\u007f'.repeat(9999), '/'.repeat(50_000)]) {
      const words = (await problemOf(JSON.stringify({ name: 'n', [name]: 'secret' }))) ?? '';
      expect(words).toMatch(/^\/[ -~]{1,499}$/);
      expect(words).not.toContain('secret');
    }
  });

  it('can be read by the dashboard', async () => {
    const response = await fetch(`${sample.address}/v1/widgets`, {
      headers: { origin: 'https://app.example.com' },
    });
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Service-Problem');
  });
});
