import { frames, own, type Shape } from './shape.ts';

/** Scripts, old protocols, and languages without a library of the makers. */
export const SCRIPT_SHAPES: readonly Shape[] = [
  {
    client: 'protocol 4, with the long names of interfaces',
    event: {
      platform: 'python',
      level: 40,
      'sentry.interfaces.Exception': { values: [{ type: 'KeyError', value: "'sku'", module: 'builtins' }] },
      'sentry.interfaces.Stacktrace': frames(own('find', 'shop/stock.py')),
      'sentry.interfaces.User': { id: 'u-4' },
    },
    type: 'backend_exception',
    says: { 'payload.name': 'KeyError', 'payload.level': 'error', 'context.user.id': 'u-4' },
    frame: 'find',
  },
  {
    client: 'a message with a stack of raven-python',
    event: {
      platform: 'python',
      message: 'cart is empty',
      stacktrace: frames(own('total', 'cart.py')),
      level: 30,
    },
    type: 'log_event',
    says: {
      'payload.message': 'cart is empty',
      'payload.level': 'warning',
      'context.sentry.capture_stack': 'at total (cart.py:7)',
    },
  },
  {
    client: 'a script that sends logentry as text',
    event: { level: 'error', logentry: 'disk is full' },
    type: 'log_event',
    says: { 'payload.message': 'disk is full' },
  },
  {
    client: 'exceptions whose frames are null',
    event: {
      platform: 'python',
      exception: { values: [{ type: 'ValueError', value: 'x', stacktrace: { frames: null } }] },
    },
    type: 'backend_exception',
    says: { 'payload.name': 'ValueError' },
  },
  {
    client: 'a language without a library of the makers (Crystal)',
    event: {
      platform: 'crystal',
      level: 'error',
      exception: [{ type: 'IndexError', value: 'x', stacktrace: frames(own('total', 'src/cart.cr')) }],
    },
    type: 'backend_exception',
    says: { 'service.runtime': 'crystal' },
    frame: 'total',
  },
  {
    client: 'an id and a fingerprint that are numbers, times as text',
    event: {
      platform: 'python',
      timestamp: '1764374400.5',
      user: { id: 42 },
      fingerprint: [1, 'a'],
      tags: [
        ['n', 5],
        ['flag', true],
      ],
      exception: { values: [{ type: 'E', value: 5 }] },
    },
    type: 'backend_exception',
    says: {
      occurred_at: '2025-11-29T00:00:00.500Z',
      'context.user.id': '42',
      'context.sentry.fingerprint.0': '1',
      'context.tags.n': '5',
      'payload.message': '5',
    },
  },
  {
    client: 'PowerShell, whose scripts have no classes',
    event: {
      platform: 'csharp',
      sdk: { name: 'sentry.dotnet.powershell', version: '0.1.0' },
      exception: {
        values: [
          {
            type: 'System.Management.Automation.RuntimeException',
            value: 'Attempted to divide by zero.',
            stacktrace: frames(own('Get-Total', 'Checkout.ps1', { abs_path: 'C:\\jobs\\Checkout.ps1' })),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: { 'payload.exceptions.0.frames.0.lang': 'powershell' },
    frame: 'Get-Total',
  },
  {
    client: "Debian's Ruby, whose name holds its version",
    event: {
      platform: 'ruby',
      sdk: { name: 'sentry.ruby', version: '5.3.0' },
      contexts: { runtime: { name: 'ruby3.1', version: 'ruby 3.1.2p20' } },
      modules: { csv: '3.2.2', rack: '2.2.22' },
      exception: { values: [{ type: 'KeyError', value: 'no rows', module: '' }] },
    },
    type: 'backend_exception',
    says: {
      'service.runtime': 'ruby',
      'payload.runtime.name': 'ruby',
      'context.modules': { csv: '3.2.2', rack: '2.2.22' },
    },
  },
  {
    client: 'the hook of a shell script',
    event: {
      platform: 'other',
      sdk: { name: 'sentry-cli', version: '2.31.0' },
      level: 'error',
      exception: {
        values: [
          {
            type: 'BashError',
            value: 'command pg_dump shop exited with status 1',
            stacktrace: frames(
              { function: 'main', filename: 'backup.sh', lineno: 3, context_line: 'dump', in_app: null },
              { function: 'dump', filename: 'backup.sh', lineno: 12, context_line: '  pg_dump shop' },
            ),
          },
        ],
      },
    },
    type: 'backend_exception',
    says: {
      'payload.exceptions.0.frames.0.context_line': '  pg_dump shop',
      'payload.exceptions.0.frames.0.in_app': undefined,
    },
    frame: 'dump',
  },
  {
    client: 'Lua, whose chunks are marked as files',
    event: {
      platform: 'lua',
      exception: {
        values: [{ type: 'Error', value: 'nil', stacktrace: frames(own('total', '@shop/cart.lua')) }],
      },
    },
    type: 'backend_exception',
    says: { 'payload.exceptions.0.frames.0.file': 'shop/cart.lua' },
    frame: 'total',
  },
  {
    client: 'a script with nothing but a message',
    event: { message: 'backup failed', level: 'error' },
    type: 'log_event',
    says: { 'payload.message': 'backup failed', 'service.name': 'shop', 'service.environment': 'production' },
  },
  {
    client: 'PHP, whose lists with a gap are objects with numbers for keys',
    event: {
      platform: 'php',
      exception: {
        values: {
          1: { type: 'Shop\\Empty', value: 'x', stacktrace: { frames: { 2: own('total', 'Cart.php') } } },
        },
      },
    },
    type: 'backend_exception',
    says: { 'payload.name': 'Shop\\Empty', 'payload.message': 'x' },
    frame: 'total',
  },
  {
    client: 'a script whose trace is a text',
    event: {
      platform: 'node',
      exception: [
        { type: 'TypeError', value: 'x', stacktrace: 'TypeError: x\n    at total (/srv/cart.js:1:2)' },
      ],
    },
    type: 'backend_exception',
    says: { 'payload.name': 'TypeError', 'payload.message': 'x', 'payload.exceptions': undefined },
  },
  {
    client: 'a script whose exception is a text',
    event: { platform: 'other', exception: 'cart is empty' },
    type: 'backend_exception',
    says: { 'payload.name': 'Error', 'payload.message': 'cart is empty' },
  },
  {
    client: 'a store of events, whose tags are objects and whose time is of Ruby',
    event: {
      message: ['cart', 7],
      level: '40',
      timestamp: '2025-11-28 23:59:57 UTC',
      tags: [{ key: 'shop', value: 'b' }],
      user: 'u-7',
    },
    type: 'log_event',
    says: {
      'payload.message': 'cart 7',
      'payload.level': 'error',
      'context.tags.shop': 'b',
      'context.user.id': 'u-7',
      occurred_at: '2025-11-28T23:59:57.000Z',
    },
  },
  {
    client: 'a script with one parameter, a short word for its level, and the time of a mail',
    event: {
      logentry: { message: 'no %s', params: 'cart' },
      level: 'ERR',
      timestamp: 'Fri, 28 Nov 2025 23:59:57 GMT',
    },
    type: 'log_event',
    says: { 'payload.message': 'no cart', 'payload.level': 'error', occurred_at: '2025-11-28T23:59:57.000Z' },
  },
  {
    client: 'a script that sends a title alone',
    event: { title: 'cart is empty' },
    type: 'log_event',
    says: { 'payload.message': 'cart is empty' },
  },
];
