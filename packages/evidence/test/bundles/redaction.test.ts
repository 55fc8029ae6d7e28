import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import { writeBundle } from '../../src/bundles/document/bundle-bytes.ts';
import { redactBody, redactMap } from '../../src/bundles/evidence/redact-evidence.ts';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import {
  breadcrumb,
  browserEvent,
  evidenceOf,
  exception,
  frontendException,
  log,
  MOMENT_MS,
  probe,
  request,
  response,
} from './build-evidence.ts';

const TOKEN = ['svc', 'proj', '0123456789abcdef0123456789abcdef'].join('_');
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
const CARD = '4111 1111 1111 1111';

describe('redaction report', () => {
  //
  it('EXR shows neither the credential nor the password, and both paths', () => {
    const document = assembleBundle(
      evidenceOf(
        exception({
          request: request({
            headers: { host: 'api.shop.example', authorization: 'Bearer abc' },
            body: { cart_id: 'cart_81', password: 'hunter2' },
          }),
        }),
      ),
    );
    const text = writeBundle(document).bytes.toString('utf8');
    expect(text).not.toContain('Bearer abc');
    expect(text).not.toContain('hunter2');
    expect(document.redaction).toEqual({
      redacted: true,
      fields: ['context.request.body.password', 'context.request.headers.authorization'],
      notes: null,
    });
  });

  it('says nothing when nothing was redacted', () => {
    expect(assembleBundle(evidenceOf(exception())).redaction).toEqual({
      redacted: false,
      fields: [],
      notes: null,
    });
  });

  it('lists places inside lists by their number', () => {
    const document = assembleBundle(
      evidenceOf(
        frontendException({
          breadcrumbs: [
            breadcrumb('form_submit', { form: '#login', fields: { email: '[REDACTED]', name: 'x' } }),
          ],
        }),
      ),
    );
    expect(document.redaction.fields).toEqual(['context.frontend.form_submissions[0].fields.email']);
  });

  it('stops at 200 paths and says how many more there are', () => {
    const headers: JsonObject = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`h${i}`, TOKEN]));
    const document = assembleBundle(
      evidenceOf(
        exception(
          { request: request({ headers, query: headers }), response: response({ headers }) },
          { context: headers },
        ),
      ),
    );
    expect(document.redaction.fields).toHaveLength(200);
    expect(document.redaction.fields).toEqual(document.redaction.fields.toSorted());
    expect(document.redaction.notes).toBe('56 more fields');
  });

  it('names the reproduction when the only mark left is in there', () => {
    const body = `${'x'.repeat(17_000)} ${JWT}`;
    const { redaction } = assembleBundle(evidenceOf(exception({ request: request({ body }) })));
    expect(redaction.redacted).toBe(true);
    expect(redaction.fields).toEqual([
      'reproduction.artifacts.curl',
      'reproduction.artifacts.httpie',
      'reproduction.artifacts.json_spec.body',
    ]);
  });
});

describe('secrets in every corner of an event', () => {
  const secrets = {
    Password: 'hunter2',
    nested: [{ 'X-Api-Key': 'hunter2' }],
    text: `key ${TOKEN} and ${JWT}`,
  };

  const document = assembleBundle(
    evidenceOf(
      frontendException(
        {
          name: `Error ${TOKEN}`,
          message: `payment with ${CARD} at https://me:hunter2@shop.example/pay?token=hunter2`,
          stack: `Error: ${JWT}\n    at f (https://me:hunter2@shop.example/assets/app.js?key=hunter2#x:10:5)`,
          request: request({
            path: '/cb?token=hunter2&code=1',
            headers: { 'x-custom': 'Bearer hunter2hunter2', cookie: 'hunter2' },
            body: '{"user":"a","password":"hunter2"}',
          }),
          response: response({ body: 'user=a&password=hunter2', headers: { 'Set-Cookie': 'hunter2' } }),
          runtime: { version: TOKEN, cwd: `/srv/${JWT}`, framework_extras: secrets },
          probeData: [{ label: TOKEN, data: secrets, timestampMs: MOMENT_MS, activationId: null }],
          breadcrumbs: [
            breadcrumb('network_request', {
              url: '/x?token=hunter2',
              method: 'GET',
              status_code: 500,
              request_body: secrets,
              response_headers: secrets,
            }),
            breadcrumb('console_log', { message: `see https://shop.example/?s=hunter2 ${TOKEN}` }),
            breadcrumb('route_change', { route: '/reset?token=hunter2#hunter2' }),
          ],
          route: '/reset?token=hunter2',
          domContext: {
            mode: 'lightweight',
            htmlExcerpt: `<a href="https://shop.example/?s=hunter2">${JWT}</a>`,
          },
        },
        {
          context: { ...secrets, git: { repo: 'https://me:hunter2@git.example/shop', commit: 'abc' } },
          extra: { deep: { deeper: secrets } },
        },
      ),
      {
        correlated: [
          { event: log(`login ${JWT}`, { attributes: secrets }), relation: 'trace' },
          { event: probe('p', secrets), relation: 'trace' },
        ],
      },
      { title: `Error ${TOKEN}` },
    ),
  );
  const text = writeBundle(document).bytes.toString('utf8');

  it.each(['hunter2', TOKEN, JWT, CARD])('%s is nowhere in the document', (secret) => {
    expect(text).not.toContain(secret);
  });

  it('the places are reported', () => {
    expect(document.redaction.fields).toEqual(
      expect.arrayContaining([
        'context.custom.context.Password',
        'context.custom.extra.deep.deeper.nested[0].X-Api-Key',
        'context.error.message',
        'context.error.name',
        'context.probe_data.items[0].data.Password',
        'context.request.query.token',
        'summary.title',
      ]),
    );
  });
});

describe('addresses in stacks', () => {
  it('a frame that only a query tells apart keeps its line', () => {
    const occurrence = frontendException({
      stack: 'Error: x\n    at f (https://shop.example/assets/app.js?v=9f8:10:5)',
      browserEvent: browserEvent({ opaque: false }),
    });
    const { context, summary } = assembleBundle(evidenceOf(occurrence));
    expect(context.error?.stack).toBe('Error: x\n    at f (https://shop.example/assets/app.js:10:5)');
    expect(context.error?.top_frames).toEqual(['assets/app.js:10']);
    expect(summary.first_application_frame).toMatchObject({ line: 10 });
    expect(summary.first_application_frame?.file).not.toMatch(/[?]|v=9f8/);
  });
});

describe('bodies captured as text', () => {
  it.each([
    ['{"a":1,"token":"x"}', '{"a":1,"token":"[REDACTED]"}'],
    ['[{"Cookie":{"a":1}}]', '[{"Cookie":"[REDACTED]"}]'],
    ['a=1&password=x%26y&b=', 'a=1&password=[REDACTED]&b='],
    ['credit%5Fcard=4111', 'credit%5Fcard=[REDACTED]'],
    [' {"a" : 1} ', ' {"a" : 1} '],
    ['{"token": "cut', '{"token": "[REDACTED]'],
    ['{"auth":{"a":[[{"b":"x"}]],"c":"y"}}', '{"auth":"[REDACTED]"}'],
    ['plain words with a password in them', 'plain words with a password in them'],
  ])('%s becomes %s', (body, expected) => {
    expect(redactBody(body)).toBe(expected);
  });
});

describe('names that stand apart from their values', () => {
  it.each<[string, string]>([
    ['{"argv":["node","--password","x","-v","y"]}', '{"argv":["node","--password","[REDACTED]","-v","y"]}'],
    ['{"form":[["user","ann"],["password","x"]]}', '{"form":[["user","ann"],["password","[REDACTED]"]]}'],
    ['[{"name":"X-Api-Key","value":"x"}]', '[{"name":"X-Api-Key","value":"[REDACTED]"}]'],
    ['{"Key":"DB_PASSWORD","Value":"x"}', '{"Key":"DB_PASSWORD","Value":"[REDACTED]"}'],
    ['{"rawHeaders":["Cookie","a=b","Host","h"]}', '{"rawHeaders":["Cookie","[REDACTED]","Host","h"]}'],
    ['["--token","--verbose"]', '["--token","--verbose"]'],
    ['["token","expired"]', '["token","expired"]'],
    ['{"name":"user","value":"ann"}', '{"name":"user","value":"ann"}'],
  ])('%s becomes %s', (value, expected) => {
    expect(JSON.stringify(redactMap({ value: JSON.parse(value) }))).toBe(`{"value":${expected}}`);
  });
});

describe('hostile keys', () => {
  it('stay plain keys', () => {
    const map = redactMap(JSON.parse('{"__proto__":{"token":"x","polluted":1},"constructor":"y"}'));
    expect(JSON.stringify(map)).toBe('{"__proto__":{"token":"[REDACTED]","polluted":1},"constructor":"y"}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
