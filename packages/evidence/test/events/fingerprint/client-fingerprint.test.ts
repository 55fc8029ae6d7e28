import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/envelope/json.ts';
import {
  clientKey,
  clientKeys,
  suppressesOnlyExceptions,
} from '../../../src/events/fingerprint/client-fingerprint.ts';
import type { EventType } from '../../../src/events/normalize/event.ts';

/** The keys that published libraries suppress by, written here as the libraries write them. */

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const EXCEPTION = {
  name: 'TypeError',
  message: 'no "theme" — ü',
  stack: 'TypeError: no "theme"\n    at render (/srv/app.js:4:2)\n    at main (/srv/app.js:9:1)',
  request: { method: 'POST', path: '/checkout', headers: {} },
  response: { status_code: 500 },
};
const REQUEST = { method: 'GET', path: '/orders/7', response_status: 503, route_template: '/orders/:id' };
const LOG = { level: 'error', message: 'disk full', attributes: { disk: 'sda', free: 0 } };

const NODE = '@debugbundle/sdk-node';
const BROWSER = '@debugbundle/sdk-browser';
const STACK_JSON = JSON.stringify(EXCEPTION.stack);

const CASES: readonly [library: string, type: EventType, payload: JsonObject, fingerprints: string[]][] = [
  [
    NODE,
    'backend_exception',
    EXCEPTION,
    [
      sha256(
        `{"event_type":"backend_exception","name":"TypeError","message":"no \\"theme\\" — ü","stack":${STACK_JSON},"path":"/checkout","status":500}`,
      ),
    ],
  ],
  [
    NODE,
    'request_event',
    REQUEST,
    [
      sha256(
        '{"event_type":"request_event","method":"GET","path":"/orders/7","status":503,"route_template":"/orders/:id"}',
      ),
    ],
  ],
  [
    NODE,
    'request_event',
    { method: 'GET', path: '/', response_status: 500 },
    [sha256('{"event_type":"request_event","method":"GET","path":"/","status":500,"route_template":null}')],
  ],
  [
    NODE,
    'log_event',
    LOG,
    [
      sha256(
        '{"event_type":"log_event","level":"error","message":"disk full","attributes":{"disk":"sda","free":0}}',
      ),
    ],
  ],
  [NODE, 'frontend_exception', EXCEPTION, []],
  [
    '@debugbundle/sdk-java',
    'backend_exception',
    { ...EXCEPTION, message: 'm' },
    [
      sha256(
        '{"event_type":"backend_exception","name":"TypeError","message":"m","stack":[],"path":"/checkout","status":500}',
      ),
    ],
  ],
  ['debugbundle-python', 'request_event', REQUEST, []],
  [
    'debugbundle-python',
    'backend_exception',
    EXCEPTION,
    [sha256(`backend_exception:TypeError:no "theme" — ü:${EXCEPTION.stack}`)],
  ],
  [
    'debugbundle/sdk-php',
    'backend_exception',
    EXCEPTION,
    [sha256(`backend_exception:TypeError:no "theme" — ü:${EXCEPTION.stack}`)],
  ],
  [
    '@debugbundle/sdk-ruby',
    'backend_exception',
    EXCEPTION,
    [
      sha256(`TypeError:no "theme" — ü:${EXCEPTION.stack}`),
      sha256(`backend_exception:TypeError:no "theme" — ü:${EXCEPTION.stack}`),
    ],
  ],
  [
    '@debugbundle/sdk-ruby',
    'backend_exception',
    { name: null, message: '', stack: '' },
    [sha256('::'), sha256('backend_exception:::')],
  ],
  [
    '@debugbundle/sdk-dotnet',
    'backend_exception',
    { ...EXCEPTION, message: 'm' },
    [sha256('backend_exception|TypeError|m||')],
  ],
  ['@debugbundle/sdk-dotnet', 'request_event', REQUEST, [sha256('request_event|||GET|/orders/7')]],
  [
    '@debugbundle/sdk-go',
    'backend_exception',
    { ...EXCEPTION, message: ' m ' },
    ['backend_exception:TypeError:m'],
  ],
  [
    '@debugbundle/sdk-go',
    'request_event',
    REQUEST,
    ['request_event:GET:/orders/7:<nil>', 'request_event:GET:/orders/7:503'],
  ],
  ['@debugbundle/sdk-go', 'log_event', LOG, ['log_event:error:disk full', 'log_event::disk full']],
  ['custom', 'backend_exception', EXCEPTION, []],
  ['__proto__', 'backend_exception', EXCEPTION, []],
];

describe('the keys of a signal', () => {
  it.each(CASES)('of %s and %s are those that it reports', (library, type, payload, fingerprints) => {
    expect(clientKeys(library, type, payload)).toEqual(fingerprints.map(clientKey));
  });

  it('of browsers are FNV-1a over the second line of the stack and the route', () => {
    const page = { name: 'A', message: 'b', stack: 'A: b\n  at f (x.js:1:2)  \n  at g', route: '/cart' };
    expect(clientKeys(BROWSER, 'frontend_exception', page)).toEqual([
      clientKey(
        fnv(
          '{"event_type":"frontend_exception","name":"A","message":"b","stack_frame":"at f (x.js:1:2)","route":"/cart"}',
        ),
      ),
    ]);
    expect(clientKeys(BROWSER, 'frontend_exception', { ...page, stack: 'A: b', route: null })).toEqual([
      clientKey(
        fnv('{"event_type":"frontend_exception","name":"A","message":"b","stack_frame":null,"route":null}'),
      ),
    ]);
    expect(clientKeys(BROWSER, 'request_event', REQUEST)).toEqual([
      clientKey(
        fnv('{"event_type":"request_event","method":"GET","path":"/orders/7","response_status":503}'),
      ),
    ]);
  });

  it('hash as published: FNV-1a of "foobar" is bf9cf968', () => {
    expect(fnv('foobar')).toBe('bf9cf968');
  });
});

describe('a key', () => {
  it('is the first 64 bits of a digest, and a digest of everything else', () => {
    expect(clientKey('f'.repeat(64))).toBe(-1n);
    expect(clientKey(`${'0'.repeat(15)}1${'f'.repeat(48)}`)).toBe(1n);
    expect(clientKey('F'.repeat(64))).not.toBe(-1n);
    expect(clientKey('client-7f')).not.toBe(clientKey('client-7e'));
  });
});

it('only some libraries suppress exceptions alone', () => {
  expect(
    ['debugbundle-python', '@debugbundle/sdk-ruby', NODE, 'custom'].map(suppressesOnlyExceptions),
  ).toEqual([true, true, false, false]);
});

function fnv(text: string): string {
  let digest = 2_166_136_261n;
  for (let index = 0; index < text.length; index += 1) {
    digest = ((digest ^ BigInt(text.charCodeAt(index))) * 16_777_619n) & 0xffff_ffffn;
  }
  return digest.toString(16).padStart(8, '0');
}
