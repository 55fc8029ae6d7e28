import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/envelope/json.ts';
import { fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import { readStackRules } from '../../../src/events/fingerprint/stack/stack-rules.ts';
import { normalizeEvent } from '../../../src/events/normalize/normalize-event.ts';

function keyOf(payload: JsonObject, rules: string[] = [], language = ''): string | null {
  const event = normalizeEvent(
    {
      event_type: 'backend_exception',
      timestamp: '2026-03-24T10:30:00.000Z',
      service: { name: 'shop', environment: 'production' },
      sdk: { name: 'custom', version: '1.0.0' },
      ...(language === '' ? {} : { sdk_language: language }),
      payload: { name: 'Boom', message: 'it broke', ...payload },
    },
    { eventId: 'evt_1', receivedAtMs: Date.UTC(2026, 2, 24) },
  );
  return fingerprintEvent(event, readStackRules(rules))?.materialJson ?? null;
}

describe('frames as objects', () => {
  const pairs: [language: string, stack: string, frames: JsonObject[]][] = [
    [
      'node',
      'Boom: it broke\n    at Cart.total (/app/src/cart.js:12:5)\n    at checkout (/app/src/web.js:40:3)\n    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
      [
        { function: 'Cart.total', abs_path: '/app/src/cart.js', file: 'cart.js', line: 12, column: 5 },
        { function: 'checkout', abs_path: '/app/src/web.js', line: 40, column: 3 },
        {
          function: 'process.processTicksAndRejections',
          file: 'node:internal/process/task_queues',
          line: 105,
        },
      ],
    ],
    [
      'python',
      'Traceback (most recent call last):\n  File "/app/web.py", line 40, in checkout\n    total(n)\n  File "/app/cart.py", line 12, in total\n    raise Boom()\nBoom: it broke',
      [
        { function: 'total', abs_path: '/app/cart.py', file: 'cart.py', line: 12 },
        { function: 'checkout', abs_path: '/app/web.py', file: 'web.py', line: 40 },
      ],
    ],
    [
      'ruby',
      "/app/cart.rb:12:in `total': it broke (Boom)\n\tfrom /app/web.rb:40:in `block in checkout'",
      [
        { function: 'total', abs_path: '/app/cart.rb', line: 12 },
        { function: 'block in checkout', abs_path: '/app/web.rb', line: 40 },
      ],
    ],
    [
      'php',
      'Boom: it broke in /app/src/Cart.php:12\nStack trace:\n#0 /app/src/Web.php(40): App\\Cart->total(5)\n#1 /app/index.php(3): App\\Web->checkout()\n#2 {main}',
      [
        { function: 'total', module: 'App\\Cart', abs_path: '/app/src/Cart.php', line: 12 },
        { function: 'checkout', module: 'App\\Web', abs_path: '/app/src/Web.php', line: 40 },
        { function: '<main>', abs_path: '/app/index.php', line: 3 },
      ],
    ],
    [
      'java',
      'Boom: it broke\n\tat com.shop.Cart.lambda$total$0(Cart.java:12)\n\tat com.shop.Web.checkout(Web.java:40)\n\tat java.base/java.lang.Thread.run(Thread.java:840)',
      [
        { function: 'lambda$total$0', module: 'com.shop.Cart', file: 'Cart.java', line: 12 },
        { function: 'checkout', module: 'com.shop.Web', file: 'Web.java', line: 40 },
        { function: 'run', module: 'java.lang.Thread', file: 'Thread.java', line: 840 },
      ],
    ],
    [
      'go',
      'goroutine 1 [running]:\ngithub.com/acme/shop/cart.(*Cart).Total(0xc0)\n\t/app/cart/cart.go:12 +0x1d\nmain.main()\n\t/app/main.go:5 +0x25',
      [
        {
          function: '(*Cart).Total',
          module: 'github.com/acme/shop/cart',
          abs_path: '/app/cart/cart.go',
          line: 12,
        },
        { function: 'main', module: 'main', abs_path: '/app/main.go', line: 5 },
      ],
    ],
    [
      'csharp',
      'Boom: it broke\n   at Shop.Cart.<Total>d__3.MoveNext() in /src/Cart.cs:line 12\n   at Shop.Web.Checkout(Int32 n) in /src/Web.cs:line 40\n   at System.Threading.Tasks.Task.Run()',
      [
        { function: '<Total>d__3.MoveNext', module: 'Shop.Cart', abs_path: '/src/Cart.cs', line: 12 },
        { function: 'Checkout', module: 'Shop.Web', abs_path: '/src/Web.cs', line: 40 },
        { function: 'Run', module: 'System.Threading.Tasks.Task' },
      ],
    ],
  ];

  it.each(pairs)('give the key of the same frames as text: %s', (language, stack, frames) => {
    const asText = keyOf({ stack }, [], language);
    const asObjects = keyOf({ exceptions: [{ type: 'Boom', message: 'it broke', frames }] }, [], language);
    expect(asText).toContain('"frames":[');
    expect(asObjects).toBe(asText);
  });

  it('read the language of the file where nobody names one', () => {
    const frames = [{ function: 'Cart.total', file: '/app/src/cart.ts', line: 1 }];
    expect(keyOf({ exceptions: [{ type: 'Boom', message: '', frames }] })).toContain(
      'src/cart.ts#Cart.total',
    );
  });

  it('follow what the client says about its own code, and rules of the project before that', () => {
    const frames = [
      { function: 'send', file: '/app/lib/mail.js', in_app: false },
      { function: 'notify', file: '/app/src/notify.js', in_app: true },
    ];
    const payload = { exceptions: [{ type: 'Boom', message: '', frames }] };
    expect(keyOf(payload, [], 'node')).toContain('"frames":["src/notify.js#notify"]');
    expect(keyOf(payload, ['*/lib/* own'], 'node')).toContain('["lib/mail.js#send","src/notify.js#notify"]');
    expect(keyOf(payload, ['*notify* ignore', '*/lib/* own'], 'node')).toContain('["lib/mail.js#send"]');
  });

  it('take the crashed thread where no exception has frames', () => {
    const threads = [
      { crashed: false, frames: [{ function: 'idle', file: '/app/idle.py' }] },
      { crashed: true, frames: [{ function: 'total', file: '/app/cart.py' }] },
    ];
    expect(keyOf({ threads }, [], 'python')).toContain('app/cart.py#total');
  });

  it('make a group of the members that belong to it, in any order', () => {
    const member = (id: number, type: string, name: string) => ({
      type,
      message: '',
      mechanism: { id, parent_id: 0 },
      frames: [{ function: name, file: `/app/${name}.js` }],
    });
    const outer = {
      type: 'AggregateError',
      message: 'all failed',
      mechanism: { id: 0, is_group: true },
      frames: [],
    };
    const one = keyOf({ exceptions: [outer, member(1, 'A', 'mail'), member(2, 'B', 'pay')] }, [], 'node');
    const other = keyOf({ exceptions: [outer, member(1, 'B', 'pay'), member(2, 'A', 'mail')] }, [], 'node');
    expect(one).toContain('"members":["A app/mail.js#mail","B app/pay.js#pay"]');
    expect(other).toBe(one);
  });

  it('never keep an event out, whatever stands in them', () => {
    for (const exceptions of [
      null,
      5,
      'x',
      [null, 1, 'x', {}],
      [{ frames: [null, 1, { line: -1, function: 5 }] }],
    ]) {
      expect(keyOf({ exceptions }, [], 'node')).toContain('"type":"Boom"');
    }
  });

  it('are cut from the install root', () => {
    const at = (root: string) =>
      keyOf(
        {
          stack: `Boom: it broke\n    at total (${root}/index.js:1:1)`,
          runtime: { version: '24', cwd: root },
        },
        [],
        'node',
      );
    expect(at('/srv/releases/shop-7')).toBe(at('/opt/shop'));
  });
});
