import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/envelope/json.ts';
import { at, keyOf, mappedEvent } from './map-event.ts';

/**
 * Failures of the field in pairs: two occurrences of one failure, with the addresses, releases and made names that differ
 * between them, are one incident, and another failure beside them is another. Written by hand after the serializers of
 * the libraries.
 */
interface Pair {
  client: string;
  first: JsonObject;
  again: JsonObject;
  /** Not the same failure. */
  other?: JsonObject;
  /** Values at paths of the first event. */
  says?: Readonly<Record<string, unknown>>;
}

const NEWEST = 'payload.exceptions.0.frames.0';

function thrown(platform: string, type: string, value: string, frames: JsonObject[], more: JsonObject = {}) {
  return { platform, ...more, exception: { values: [{ type, value, stacktrace: { frames } }] } };
}

const own = (name: string | null, file: string | null, more: JsonObject = {}): JsonObject => ({
  function: name,
  filename: file,
  lineno: 7,
  in_app: true,
  ...more,
});

const php = (type: string, value: string, frame: JsonObject) =>
  thrown('php', type, value, [own(null, '/public/index.php'), frame], { sdk: { name: 'sentry.php' } });

const unnamed = (file: string, key: string) => `class@anonymous\0${file}${key}::handle`;

const view = (template: string, hash: string): JsonObject => ({
  platform: 'php',
  sdk: { name: 'sentry.php.laravel' },
  exception: {
    values: [
      {
        type: 'ErrorException',
        value: 'Undefined variable $user',
        stacktrace: {
          frames: [own('include', `/storage/framework/views/${hash.repeat(40)}.php`)],
        },
      },
      {
        type: 'Illuminate\\View\\ViewException',
        value: `Undefined variable $user (View: /srv/releases/${hash}/resources/views/${template})`,
        stacktrace: { frames: [own(null, '/public/index.php')] },
      },
    ],
  },
});

const native = (base: number, offset: number, hasSizes = true): JsonObject => ({
  platform: 'native',
  level: 'fatal',
  sdk: { name: 'sentry.native', version: '0.7.0' },
  debug_meta: {
    images: [
      { type: 'elf', code_file: '/lib/libc.so.6', image_addr: '0x7f0000000000', image_size: 0x200000 },
      {
        type: 'elf',
        code_file: '/app/shop',
        image_addr: `0x${base.toString(16)}`,
        ...(hasSizes ? { image_size: 0x100000 } : {}),
      },
    ],
  },
  exception: {
    values: [
      {
        type: 'SIGSEGV',
        value: 'Segfault',
        mechanism: { type: 'signalhandler', synthetic: true, handled: false },
        stacktrace: {
          frames: [
            { instruction_addr: '0x7f0000001000' },
            { instruction_addr: `0x${(base + offset).toString(16)}` },
          ],
        },
      },
    ],
  },
});

const flutter = (base: number, offset: number): JsonObject =>
  thrown(
    'dart',
    'minified:aB',
    'Bad state: No element',
    [{ platform: 'native', instruction_addr: `0x${(base + offset).toString(16)}`, in_app: true }],
    {
      sdk: { name: 'sentry.dart.flutter' },
      debug_meta: { images: [{ type: 'elf', code_id: 'ab', image_addr: `0x${base.toString(16)}` }] },
    },
  );

const compiledDotnet = (offset: string, image: number): JsonObject =>
  thrown('csharp', 'System.InvalidOperationException', 'x', [
    { instruction_addr: offset, addr_mode: `rel:${image}`, function_id: '0x6000b2', in_app: true },
  ]);

const hidden = (base: string, at: string): JsonObject =>
  thrown('cocoa', 'EXC_CRASH', 'x', [
    own('<redacted>', null, { package: 'Shop', image_addr: base, instruction_addr: at }),
  ]);

const nativeZero = (base: number): JsonObject =>
  thrown('native', 'SIGSEGV', 'x', [{ instruction_addr: base + 0x1a2c4, image_addr: '0x0' }], {
    debug_meta: { images: [{ type: 'elf', code_file: '/app/shop', image_addr: base }] },
  });

const died = (value: string): JsonObject => ({
  platform: 'perl',
  message: value,
  'sentry.interfaces.Exception': { type: 'Die', value },
});

const crystal = (name: string) => thrown('crystal', 'IndexError', 'x', [own(name, 'src/cart.cr')]);

const PAIRS: readonly Pair[] = [
  {
    client: 'PHP, an exception of a class without a name, in two releases',
    first: php(
      'RuntimeException@anonymous\0/srv/1/Cart.php:12$0',
      'x',
      own('App\\Cart::total', '/src/C.php'),
    ),
    again: php(
      'RuntimeException@anonymous\0/srv/2/Cart.php:14$1f',
      'x',
      own('App\\Cart::total', '/src/C.php'),
    ),
    other: php('LogicException@anonymous\0/srv/2/Cart.php:14$1f', 'x', own('App\\Cart::total', '/src/C.php')),
    says: { 'payload.name': 'RuntimeException' },
  },
  {
    client: 'PHP, a method of a class without a name',
    first: php('E', 'x', own(unnamed('/src/Handler.php', ''), '/src/Handler.php')),
    again: php('E', 'x', own(unnamed('/srv/app/src/Handler.php', ':14$3'), '/src/Handler.php')),
    other: php('E', 'x', own(unnamed('/src/Other.php', ''), '/src/Other.php')),
    says: { [`${NEWEST}.function`]: 'class@anonymous::handle', [`${NEWEST}.module`]: undefined },
  },
  {
    client: 'PHP 8.4, whose closures name their line',
    first: php('E', 'x', own('App\\Cart::{closure:App\\Cart::total():18}', '/src/Cart.php')),
    again: php('E', 'x', own('App\\Cart::App\\{closure}', '/src/Cart.php')),
    other: php('E', 'x', own('{closure:/routes/web.php:18}', '/routes/web.php')),
  },
  {
    client: 'PHP, whose memory is used up',
    first: php(
      'Sentry\\Exception\\FatalErrorException',
      memory(134_217_728, 20_480),
      own(null, '/src/A.php'),
    ),
    again: php('Sentry\\Exception\\FatalErrorException', memory(268_435_456, 81), own(null, '/src/A.php')),
    other: php('Sentry\\Exception\\FatalErrorException', memory(134_217_728, 8), own(null, '/src/B.php')),
  },
  {
    client: 'Laravel, whose templates are compiled under another name in each release',
    first: view('cart.blade.php', '1'),
    again: view('cart.blade.php', '2'),
    other: view('order.blade.php', '1'),
    says: { 'payload.exceptions.1.frames.0.file': 'resources/views/cart.blade.php' },
  },
  {
    client: 'a native program without symbols, whose images say where they are',
    first: native(0x55d000000000, 0x1a2c4),
    again: native(0x560000000000, 0x1a2c4),
    other: native(0x560000000000, 0x2b000),
    says: { [`${NEWEST}.function`]: '+0x1a2c4', [`${NEWEST}.package`]: '/app/shop' },
  },
  {
    client: 'the same, whose images have no size',
    first: native(0x55d000000000, 0x1a2c4, false),
    again: native(0x560000000000, 0x1a2c4),
  },
  {
    client: 'Flutter, whose names are removed from the build',
    first: flutter(0x7000000000, 0x1a2c4),
    again: flutter(0x7100000000, 0x1a2c4),
    other: flutter(0x7100000000, 0x99999),
  },
  {
    client: '.NET that was compiled ahead of time, with addresses within its image',
    first: compiledDotnet('0x1a2c4', 0),
    again: compiledDotnet('0x1a2c4', 1),
    other: compiledDotnet('0x1b2c4', 0),
    says: { [`${NEWEST}.function`]: '+0x1a2c4', [`${NEWEST}.lang`]: 'native' },
  },
  {
    client: 'Cocoa, whose names the system hides',
    first: hidden('0x10000', '0x11000'),
    again: hidden('0x20000', '0x21000'),
    other: hidden('0x20000', '0x21800'),
  },
  {
    client: 'a native program whose frames have zero for an image that was not found',
    first: nativeZero(0x55d000000000),
    again: nativeZero(0x560000000000),
    says: { [`${NEWEST}.function`]: '+0x1a2c4' },
  },
  {
    client: 'Perl, which says the place of an error in its text alone',
    first: died('no stock at /app/lib/Shop/Cart.pm line 12.'),
    again: died('no stock at /app/lib/Shop/Cart.pm line 14.\n'),
    other: died('no stock at /app/lib/Shop/User.pm line 12.'),
    says: { [`${NEWEST}.file`]: '/app/lib/Shop/Cart.pm', [`${NEWEST}.line`]: 12 },
  },
  {
    client: 'Perl, which also says what was read last',
    first: died('no stock at /app/lib/Shop/Cart.pm line 12, <STDIN> line 3.'),
    again: died('no stock at /app/lib/Shop/Cart.pm line 14, <STDIN> line 41.'),
    other: died('no stock at /app/lib/Shop/User.pm line 12, <STDIN> line 3.'),
    says: { [`${NEWEST}.file`]: '/app/lib/Shop/Cart.pm', [`${NEWEST}.line`]: 12 },
  },
  {
    client: 'Crystal, whose names hold the types they were compiled for',
    first: crystal('Shop::Cart#total<Int32>:Int32'),
    again: crystal('Shop::Cart#total:Nil'),
    other: crystal('Shop::Cart#add<Int32>:Int32'),
    says: { [`${NEWEST}.function`]: 'Shop::Cart#total' },
  },
  {
    client: 'Crystal, a method that is an operator',
    first: crystal('Shop::Cart#<=><Shop::Cart>:Int32'),
    again: crystal('Shop::Cart#<=>:Int32'),
    other: crystal('Shop::Cart#<<<Shop::Item>:Shop::Cart'),
    says: { [`${NEWEST}.function`]: 'Shop::Cart#<=>' },
  },
];

function memory(all: number, wanted: number): string {
  return `Error: Allowed memory size of ${all} bytes exhausted (tried to allocate ${wanted} bytes)`;
}

it.each(PAIRS)('$client', ({ first, again, other, says = {} }) => {
  for (const [path, value] of Object.entries(says)) expect(at(mappedEvent(first), path), path).toBe(value);
  const key = keyOf(first);
  expect(keyOf(again)).toBe(key);
  if (other !== undefined) expect(keyOf(other)).not.toBe(key);
});

it('addresses that belong to no image, or are none, name nothing', () => {
  for (const [at_, images] of [
    ['0x10', [{ image_addr: '0x1000', image_size: 16 }]],
    ['0x2000', [{ image_addr: '0x1000', image_size: 16 }]],
    ['nonsense', [{ image_addr: '0x1000' }]],
    ['0x2000', [null, { image_addr: -1 }, { image_addr: '0xzz' }]],
    [2 ** 60, [{ image_addr: '0x1000' }]],
  ] as const) {
    const event = thrown('native', 'SIGSEGV', 'x', [{ instruction_addr: at_ }], {
      debug_meta: { images: [...images] },
    });
    expect(at(mappedEvent(event), `${NEWEST}.function`)).toBeUndefined();
  }
});
