import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import { readStack } from '../../../src/events/fingerprint/stack/read-stack.ts';
import { backendException, frontendException } from '../build-event.ts';

/** docs/contract/grouping.md 1: what surrounds a failure must not change its incident, and every frame is read. */

const NODE = `TypeError: total is missing
    at Cart.total (/srv/releases/20260324101500/src/cart.js:12:5)
    at async checkout (/srv/releases/20260324101500/src/web.js:40:3)
    at Layer.handle (/srv/releases/20260324101500/node_modules/express/lib/router/layer.js:95:5)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)`;
const PYTHON = `Traceback (most recent call last):
  File "/app/shop/web.py", line 40, in checkout
    total(cart)
  File "/app/shop/cart.py", line 12, in total
    raise TypeError("total is missing")
TypeError: total is missing`;
const RUBY = `/app/shop/cart.rb:12:in \`total': total is missing (TypeError)
\tfrom /app/shop/web.rb:40:in \`block in checkout'
\tfrom /usr/lib/ruby/gems/3.2.0/gems/rack-3.0.8/lib/rack.rb:9:in \`call'`;
const PHP = `TypeError: total is missing in /app/src/Cart.php:12
Stack trace:
#0 /app/src/Web.php(40): App\\Cart->total(5)
#1 /app/vendor/symfony/http-kernel/HttpKernel.php(163): App\\Web->checkout(Object(Request))
#2 {main}`;
const JAVA = `com.shop.TotalException: total is missing
\tat com.shop.Cart.lambda$total$0(Cart.java:12)
\tat com.shop.Web.checkout(Web.java:40)
\tat java.base/java.lang.Thread.run(Thread.java:840)`;
const GO = `panic: total is missing

goroutine 17 [running]:
github.com/acme/shop/cart.(*Cart).Total(0xc000123400)
\t/app/cart/cart.go:12 +0x1d
main.main.func1()
\t/app/main.go:5 +0x25`;
const DOTNET = `Shop.TotalException: total is missing
   at Shop.Cart.<TotalAsync>d__3.MoveNext() in /src/Cart.cs:line 12
   at Shop.Web.Checkout(Int32 n) in /src/Web.cs:line 40
   at System.Threading.Tasks.Task.Run()`;
const PAGE = `TypeError: total is missing
    at showTotal (https://shop.example/assets/cart-3f9a2c1b.js:1:4821)
    at HTMLButtonElement.onBuy (https://shop.example/assets/cart-3f9a2c1b.js:1:5100)`;
const NATIVE = `#0 0x00007f0b1c2d3e4f in abort () from /lib/libc.so.6
#1 0x000055d0c0ffee01 in cart_total (cart=0x55d0c1) at src/cart.c:12
#2 0x000055d0c0ffee77 in main (argc=1) at src/main.c:40`;

type Change = (stack: string) => string;
const swap =
  (from: string | RegExp, to: string): Change =>
  (stack) => {
    const changed = stack.replaceAll(from, to);
    expect(changed, 'the circumstance changes the text').not.toBe(stack);
    return changed;
  };

/** By language, what may change without another incident. */
const CIRCUMSTANCES: Readonly<Record<string, { stack: string; changes: Readonly<Record<string, Change>> }>> =
  {
    node: {
      stack: NODE,
      changes: {
        'another release folder': swap('20260324101500', '20260401083000'),
        'another root': swap('/srv/releases/20260324101500', '/home/node/app'),
        'a container root': swap('/srv/releases/20260324101500', '/usr/src/app'),
        'shifted lines and columns': swap(/:\d+:\d+/g, ':77:9'),
        'a new framework': swap(
          / {4}at Layer\.handle .*/g,
          '    at next (/app/node_modules/express/lib/router/route.js:1:1)',
        ),
        'pnpm folders': swap('node_modules/express', 'node_modules/.pnpm/express@5.1.0/node_modules/express'),
        'no node internals': swap(/\n {4}at process\..*/g, ''),
        'an async marker': swap('at async checkout', 'at checkout'),
        'an alias of the method': swap('at Cart.total (', 'at Cart.total [as sum] ('),
        'file addresses': swap('(/srv/', '(file:///srv/'),
        'windows paths': swap(/\(\/srv\/releases\/20260324101500\/([^)]*)/g, '(C:\\app\\$1'),
        'windows line ends': swap('\n', '\r\n'),
        'other indentation': swap('    at ', '  at '),
        'a fold of recursion': (stack) => {
          const line = stack.split('\n')[1] ?? '';
          return stack.replace(line, `${line}\n${line.replace('12:5', '13:5')}`);
        },
        'a longer stack': (stack) => `${stack}\n    at runMicrotasks (<anonymous>)`,
      },
    },
    python: {
      stack: PYTHON,
      changes: {
        'shifted lines': swap(/line \d+/g, 'line 7'),
        'another root': swap('/app/', '/opt/releases/7/'),
        'source lines left out': swap(/\n {4}.*/g, ''),
        'carets under the source': swap('    total(cart)', '    total(cart)\n    ~~~~~^^^^^^'),
        'a framework outside': swap(
          'Traceback (most recent call last):',
          'Traceback (most recent call last):\n  File "/usr/lib/python3.12/site-packages/flask/app.py", line 9, in wsgi_app\n    response = self.full()',
        ),
        'windows paths': swap(/"\/app\/shop\//g, '"C:\\app\\shop\\'),
        'qualified names': swap('in total', 'in Cart.<locals>.total'),
        'windows line ends': swap('\n', '\r\n'),
      },
    },
    ruby: {
      stack: RUBY,
      changes: {
        'quotes of Ruby 3.4': swap(/`(\w[\w ]*)'/g, "'$1'"),
        'shifted lines': swap(/rb:\d+/g, 'rb:3'),
        'another root': swap('/app/', '/var/www/releases/20240101/'),
        'another gem version': swap('rack-3.0.8', 'rack-3.1.0'),
        'other block levels': swap('block in checkout', 'block (2 levels) in checkout'),
      },
    },
    php: {
      stack: PHP,
      changes: {
        'shifted lines': swap(/\((\d+)\):/g, '(7):'),
        'another root': swap('/app/', '/var/www/html/'),
        'other arguments': swap('total(5)', "total('x', Array)"),
        'another framework call': swap('HttpKernel.php(163)', 'HttpKernel.php(12)'),
        'windows line ends': swap('\n', '\r\n'),
      },
    },
    java: {
      stack: JAVA,
      changes: {
        'shifted lines': swap(/java:\d+/g, 'java:9'),
        'other lambda numbers': swap('lambda$total$0', 'lambda$total$12'),
        'a module prefix': swap('at com.shop.Web', 'at app//com.shop.Web'),
        'jar names behind': swap('(Web.java:40)', '(Web.java:40) ~[shop-1.2.3.jar:1.2.3]'),
        'another thread': swap('java.base/java.lang.Thread.run', 'java.base@21/java.lang.Thread.run'),
        'a thread in the head': (stack) => `Exception in thread "pool-3-thread-1" ${stack}`,
        'frames in common': (stack) => `${stack}\n\t... 12 more`,
        'proxies between': swap(
          '\tat com.shop.Web.checkout',
          '\tat com.shop.Web$$$$EnhancerBySpringCGLIB$$$$1a2b3c.checkout(<generated>)\n\tat com.shop.Web.checkout',
        ),
      },
    },
    go: {
      stack: GO,
      changes: {
        'another goroutine': swap('goroutine 17', 'goroutine 4242'),
        'other addresses': swap('0xc000123400', '0xc0ffee0000'),
        'other offsets': swap(/\+0x[0-9a-f]+/g, '+0x99'),
        'shifted lines': swap(/go:\d+/g, 'go:3'),
        'another root': swap('/app/', '/home/ci/build/'),
        'other closures': swap('main.main.func1', 'main.main.func2.1'),
        'more goroutines': (stack) =>
          `${stack}\n\ngoroutine 18 [select]:\nmain.wait()\n\t/app/wait.go:3 +0x1`,
        'a waiting time': swap('[running]', '[running, 5 minutes]'),
        registers: swap(/ \+0x([0-9a-f]+)/g, ' +0x$1 fp=0xc00005 sp=0xc00004 pc=0x45'),
      },
    },
    dotnet: {
      stack: DOTNET,
      changes: {
        'shifted lines': swap(/line \d+/g, 'line 7'),
        'no symbols': swap(/ in \/src\/\w+\.cs:line \d+/g, ''),
        'another root': swap('/src/', 'D:\\agents\\7\\'),
        'another state machine': swap('d__3', 'd__11'),
        'other task plumbing': (stack) =>
          `${stack}\n   at System.Runtime.CompilerServices.TaskAwaiter.ThrowForNonSuccess(Task task)`,
        'ends of awaits': swap(
          '   at Shop.Web',
          '--- End of stack trace from previous location ---\n   at Shop.Web',
        ),
      },
    },
    page: {
      stack: PAGE,
      changes: {
        'another build': swap('cart-3f9a2c1b', 'cart-BxY9_aQz'),
        'no hash': swap('cart-3f9a2c1b', 'cart'),
        'another host': swap('shop.example', 'cdn.shop.example'),
        'a query behind the file': swap('.js:', '.js?v=20260324:'),
        'other columns': swap(/:1:\d+/g, ':1:99'),
        'another element': swap('HTMLButtonElement', 'HTMLFormElement'),
        'an extension outside': (stack) =>
          `${stack}\n    at wrap (chrome-extension://abcdefghijklmnop/inject.js:1:1)`,
        'the form of Firefox': () =>
          'showTotal@https://shop.example/assets/cart-3f9a2c1b.js:1:4821\nonBuy@https://shop.example/assets/cart-3f9a2c1b.js:1:5100',
      },
    },
    native: {
      stack: NATIVE,
      changes: {
        'other load addresses': swap(/0x0000[0-9a-f]{12}/g, '0x00005500aabbccdd'),
        'shifted lines': swap(/c:\d+/g, 'c:9'),
        'cold parts': swap('cart_total (', 'cart_total.cold.1 ('),
        'other arguments': swap(/\(cart=0x55d0c1\)/g, '(cart=0x7000)'),
      },
    },
  };

function keyOf(language: string, stack: string): string {
  const fields = { name: 'TotalException', message: 'total is missing', stack };
  const event = language === 'page' ? frontendException(fields) : backendException(fields);
  return fingerprintEvent(event)?.materialJson ?? '';
}

describe.each(Object.entries(CIRCUMSTANCES))('one failure of %s', (language, { stack, changes }) => {
  it.each(Object.entries(changes))('is the same incident with %s', (_, change) => {
    expect(keyOf(language, stack)).toContain('"frames":[');
    expect(keyOf(language, change(stack))).toBe(keyOf(language, stack));
  });

  it('is another one in another function, and in another file', () => {
    const moved = stack.replaceAll(/(?<![a-z])(t|T|showT|cart_t)otal(?=[ '(A$>\n,]|Async)/g, '$1ax');
    const keys = [stack, moved, stack.replaceAll(/cart(?=[./-])/gi, 'basket').replaceAll('Cart', 'Basket')];
    expect(new Set(keys.map((each) => keyOf(language, each))).size).toBeGreaterThan(1);
    expect(keyOf(language, moved)).not.toBe(keyOf(language, stack));
  });
});

describe('recorded traces', () => {
  /** What every frame line of a language holds. */
  const FRAME_LINES: Readonly<Record<string, RegExp>> = {
    node: /^\s*at /,
    python: /^\s*File "/,
    ruby: /:\d+:in /,
    php: /^#\d+ (?!\{main\})/,
    java: /^\s*at /,
    go: /^\t\S+\.(?:go|s):\d/,
  };
  const read: { language: string; stack: string }[] = JSON.parse(
    readFileSync(join(import.meta.dirname, 'traces/recorded-traces.json'), 'utf8'),
  );

  it.each(Object.entries(FRAME_LINES))('are read frame by frame: %s', (language, line) => {
    const traces = read.filter((each) => each.language === language);
    expect(traces.length).toBeGreaterThan(10);
    let [written, found] = [0, 0];
    for (const { stack } of traces) {
      // Of Go the goroutine that failed, without who created it.
      const own = stack.split(/\n\ngoroutine (?=\d+ (?!\[running))/)[0] ?? '';
      const called = own.replaceAll(/^(?:created by|panic\().*\n.*$/gm, '');
      written += called.split('\n').filter((text) => line.test(text)).length;
      const chain = readStack(stack, null)?.chain ?? [];
      found += chain.reduce((sum, { frames }) => sum + frames.length, 0);
    }
    expect(found / written).toBeGreaterThanOrEqual(0.95);
  });
});
