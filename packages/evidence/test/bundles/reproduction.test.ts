import { describe, expect, it } from 'vitest';
import {
  breadcrumb,
  browserEvent,
  exception,
  frontendException,
  HOUR_MS,
  log,
  MOMENT_MS,
  request,
} from './build-evidence.ts';
import { FEASIBILITY_REFERENCE, impossible, ofRequest, reproductionOf } from './reproduction-of.ts';

const KIB = 1024;

describe('reproduction of the fixtures', () => {
  //
  it('EXR replays against its own host with redaction marks kept', () => {
    const reproduction = ofRequest({
      query: { step: 'payment' },
      headers: {
        host: 'api.shop.example',
        authorization: 'Bearer abc',
        'content-type': 'application/json',
        'user-agent': 'curl/8',
      },
      body: { cart_id: 'cart_81', password: 'hunter2' },
    });
    expect(JSON.parse(JSON.stringify(reproduction))).toEqual({
      possible: true,
      confidence: 0.8,
      reason: 'request_context_available',
      artifacts: {
        curl: `curl -X POST 'https://api.shop.example/api/checkout?step=payment' -H 'authorization: [REDACTED]' -H 'content-type: application/json' --data-raw '{"cart_id":"cart_81","password":"[REDACTED]"}'`,
        httpie: `printf '%s' '{"cart_id":"cart_81","password":"[REDACTED]"}' | http POST 'https://api.shop.example/api/checkout?step=payment' 'authorization:[REDACTED]' 'content-type:application/json'`,
        json_spec: {
          method: 'POST',
          url: 'https://api.shop.example/api/checkout',
          headers: { authorization: '[REDACTED]', 'content-type': 'application/json' },
          query: { step: 'payment' },
          body: { cart_id: 'cart_81', password: '[REDACTED]' },
        },
      },
      feasibility_reference: FEASIBILITY_REFERENCE,
    });
  });

  //
  it('EX without a request cannot be replayed', () => {
    expect(reproductionOf(exception())).toEqual(impossible('no_request_context'));
  });

  //
  it('an opaque window error cannot be replayed', () => {
    const occurrence = frontendException({
      name: 'Error',
      message: 'Script error.',
      stack: null,
      browserEvent: browserEvent({ message: 'Script error.' }),
    });
    expect(reproductionOf(occurrence)).toEqual(impossible('opaque_browser_event'));
  });

  //
  it('a log alone is too little', () => {
    expect(reproductionOf(log('payment provider refused'))).toEqual(impossible('insufficient_context'));
  });

  //
  it.each([{ method: 'FOO' }, { path: 'x y' }])('%o is no request line', (fields) => {
    expect(ofRequest(fields)).toEqual(impossible('invalid_request_line'));
  });
});

describe('deductions', () => {
  const base = { headers: { host: 'a.example' } };

  it.each(['authorization', 'Cookie', 'proxy-authorization', 'X-Api-Key', 'x-session-token'])(
    'a redacted %s header costs 0.10',
    (name) => {
      expect(ofRequest({ headers: { ...base.headers, [name]: '[REDACTED]' } }).confidence).toBe(0.8);
    },
  );

  it('a redacted header that is no credential costs nothing', () => {
    expect(
      ofRequest({ headers: { ...base.headers, 'x-payment': 'card 4111 1111 1111 1111' } }).confidence,
    ).toBe(0.9);
  });

  it('a body cut by the library costs 0.20', () => {
    expect(ofRequest({ ...base, body: 'a long text[Truncated]' }).confidence).toBe(0.7);
  });

  it('a body of which the document shows only the beginning costs 0.20, and is sent whole', () => {
    const text = 'x'.repeat(20 * KIB);
    const reproduction = ofRequest({ ...base, body: text });
    expect(reproduction.confidence).toBe(0.7);
    expect(reproduction.artifacts?.curl).toContain(`--data-raw '${text}'`);
  });

  it.each([
    [
      'a multipart form',
      {
        headers: { ...base.headers, 'content-type': 'multipart/form-data; boundary=x' },
        body: { file: 'a.png' },
      },
    ],
    ['an image', { headers: { ...base.headers, 'content-type': 'image/png' }, body: 'PNG' }],
    ['bytes', { ...base, body: 'a\u0000\u0001b' }],
    ['text that commands a terminal', { ...base, body: 'a\u001b[201~rm -rf ~' }],
  ])('%s costs 0.20 and is left out', (_what, fields) => {
    const reproduction = ofRequest(fields);
    expect(reproduction.confidence).toBe(0.7);
    expect(reproduction.artifacts?.curl).not.toContain('--data-raw');
    expect(reproduction.artifacts?.json_spec.body).toBeNull();
  });

  it('a deployment after the primary event costs 0.10', () => {
    const deployment = { version: '2', commitSha: null, branch: null, receivedAtMs: MOMENT_MS };
    const confidenceWith = (deployedAtMs: number) =>
      reproductionOf(exception({ request: request(base) }), {
        deployments: [{ ...deployment, deployedAtMs }],
      }).confidence;
    expect(confidenceWith(MOMENT_MS + 1)).toBe(0.8);
    expect(confidenceWith(MOMENT_MS)).toBe(0.9);
  });

  it('all of them together stop at 0.10', () => {
    const occurrence = frontendException({
      breadcrumbs: [
        breadcrumb('network_request', {
          method: 'POST',
          url: '/x',
          status_code: 500,
          request_body: 'cut[Truncated]',
        }),
      ],
    });
    const deployments = [
      {
        version: '2',
        commitSha: null,
        branch: null,
        receivedAtMs: MOMENT_MS,
        deployedAtMs: MOMENT_MS + HOUR_MS,
      },
    ];
    // 0.50 less 0.20 less 0.10.
    expect(reproductionOf(occurrence, { deployments }).confidence).toBe(0.2);
    const worst = exception({
      request: request({ headers: { authorization: '[REDACTED]', 'content-type': 'image/png' }, body: 'x' }),
    });
    // 0.65 less 0.10 less 0.20 less 0.10.
    expect(reproductionOf(worst, { deployments }).confidence).toBe(0.25);
  });
});

describe('artifacts', () => {
  it('drops the headers that the sending side or a proxy sets, and sorts the others', () => {
    const dropped = [
      'Host',
      'x-forwarded-for',
      'X-Forwarded-Whatever',
      'connection',
      'accept-encoding',
      'content-length',
      'cache-control',
      'user-agent',
      'sec-fetch-mode',
      'te',
      'trailer',
      'upgrade',
      'via',
      'forwarded',
    ];
    const headers = Object.fromEntries(
      [...dropped, 'X-Zeta', 'accept', 'Content-Language'].map((name) => [name, 'v']),
    );
    const artifacts = ofRequest({ method: 'GET', headers }).artifacts;
    expect(artifacts?.curl).toBe(
      `curl -X GET 'https://v/api/checkout' -H 'accept: v' -H 'Content-Language: v' -H 'X-Zeta: v'`,
    );
  });

  it('joins lists, writes numbers, and drops what is no header', () => {
    const headers = {
      ':path': '/x',
      'a b': '1',
      '@file': '2',
      accept: ['a/b', 'c/d'],
      'x-count': 3,
      'x-map': { a: 1 },
      'x-null': null,
    };
    expect(Object.entries(ofRequest({ headers }).artifacts?.json_spec.headers ?? {})).toEqual([
      ['accept', 'a/b, c/d'],
      ['x-count', '3'],
    ]);
  });

  it('keeps HTTPie from reading a file or JSON out of a header value', () => {
    const artifacts = ofRequest({
      method: 'GET',
      headers: { 'x-a': '@/etc/passwd', 'x-b': '=1', 'x-c': '' },
    }).artifacts;
    expect(artifacts?.httpie).toContain(String.raw`'x-a:\@/etc/passwd' 'x-b:\=1' 'x-c;'`);
  });

  it('sorts and encodes the query and keeps it out of the url of the spec', () => {
    const artifacts = ofRequest({
      method: 'GET',
      path: '/search?z=from%20path&b=ignored',
      query: { b: ['1', '2'], a: 'ä &', c: { d: true }, e: null },
    }).artifacts;
    expect(artifacts?.curl).toBe(
      `curl -X GET "\${BASE_URL}"'/search?a=%C3%A4%20%26&b=1&b=2&c%5Bd%5D=true&e=&z=from%20path'`,
    );
    expect(artifacts?.json_spec.url).toBe('/search');
    expect(artifacts?.json_spec.query).toEqual({
      a: 'ä &',
      b: ['1', '2'],
      c: { d: true },
      e: null,
      z: 'from path',
    });
  });

  it('encodes what no path can carry and what curl would expand', () => {
    const artifacts = ofRequest({ method: 'GET', path: "/a b/[1-3]/{x,y}/100%/%20/ü'" }).artifacts;
    expect(artifacts?.curl).toBe(
      `curl -X GET "\${BASE_URL}"'/a%20b/%5B1-3%5D/%7Bx,y%7D/100%25/%20/%C3%BC'\\'''`,
    );
  });

  it('writes a form as a form, with its keys as captured', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const artifacts = ofRequest({ headers, body: { z: 'a b', a: ['1', '2'] } }).artifacts;
    expect(artifacts?.curl).toContain(`--data-raw 'z=a%20b&a=1&a=2'`);
    expect(artifacts?.json_spec.body).toEqual({ z: 'a b', a: ['1', '2'] });
  });

  it('sends no body for null and for empty text', () => {
    for (const body of [null, '']) expect(ofRequest({ body }).artifacts?.curl).not.toContain('--data-raw');
  });

  it('sends only the beginning of a body that would make the command too long', () => {
    const reproduction = ofRequest({ body: 'y'.repeat(65 * KIB) });
    expect(reproduction.possible).toBe(true);
    expect(reproduction.artifacts?.curl).toContain(`--data-raw '${'y'.repeat(16 * KIB)}'`);
    expect(reproduction.artifacts?.json_spec.body).toEqual({
      truncated: true,
      bytes: 65 * KIB,
      head: 'y'.repeat(16 * KIB),
    });
  });

  it('gives up when a command is longer than 64 KiB all the same', () => {
    const headers = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`x-${i}`, 'v'.repeat(1024)]));
    expect(ofRequest({ headers })).toEqual(impossible('insufficient_context'));
  });
});
