import { describe, expect, it } from 'vitest';
import { readChain, readFrames, readPlaces } from './read-chain.ts';

describe('JavaScript stacks', () => {
  it('read a Node.js stack with methods, constructors, aliases and library frames', () => {
    const stack = `RangeError: Invalid quantity: -3
    at new LineItem (/srv/app/src/cart/line-item.js:14:11)
    at Cart.add [as addItem] (/srv/app/src/cart/cart.js:52:20)
    at Object.handler (/srv/app/src/routes/cart.js:19:10)
    at Layer.handle [as handle_request] (/srv/app/node_modules/express/lib/router/layer.js:95:5)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)
    at Array.forEach (<anonymous>)`;
    expect(readChain(stack)).toEqual([
      [
        'RangeError: Invalid quantity: -3',
        'cart/line-item.js#LineItem',
        'cart/cart.js#Cart.add',
        'routes/cart.js#handler',
        '~router/layer.js#Layer.handle',
        '~cjs/loader#_compile',
        '~<anonymous>#Array.forEach',
      ],
    ]);
    expect(readPlaces(stack).slice(0, 2)).toEqual([
      '/srv/app/src/cart/line-item.js:14:11',
      '/srv/app/src/cart/cart.js:52:20',
    ]);
  });

  it('follow the causes that Node.js prints inside braces', () => {
    const stack = `Error: checkout failed
    at submit (file:///srv/app/src/checkout/submit.mjs:31:9)
    at async main (file:///srv/app/src/main.mjs:8:3) {
  code: 'E_CHECKOUT',
  [cause]: TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument must be of type string
      at readConfig (/srv/app/src/config/read.js:5:17)
      at load (/srv/app/src/config/load.js:12:4) {
    [cause]: 'no configuration'
  }
}`;
    expect(readChain(stack)).toEqual([
      ['Error: checkout failed', 'checkout/submit.mjs#submit', 'src/main.mjs#main'],
      [
        'TypeError: The "path" argument must be of type string',
        'config/read.js#readConfig',
        'config/load.js#load',
      ],
      [": 'no configuration'"],
    ]);
  });

  it('follow the causes that libraries print with "Caused by"', () => {
    const stack = `DatabaseError: query failed
    at Pool.query (/app/src/db/pool.ts:40:13)
Caused by: Error: connect ECONNREFUSED 10.0.0.5:5432
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16)`;
    expect(readChain(stack)).toEqual([
      ['DatabaseError: query failed', 'db/pool.ts#Pool.query'],
      ['Error: connect ECONNREFUSED 10.0.0.5:5432', '~node:net#TCPConnectWrap.afterConnect'],
    ]);
  });

  it('read Firefox and Safari frames', () => {
    const stack = `pay@https://shop.example.com/static/checkout.4f1d2c9b.js:2:1187
onSubmit/<@https://shop.example.com/static/checkout.4f1d2c9b.js:2:900
@https://shop.example.com/static/vendors.81aa93d0.js:1:77
t@https://shop.example.com/static/main.js:1:4`;
    expect(readFrames(stack)).toEqual([
      'static/checkout.*.js#pay',
      'static/checkout.*.js#<anonymous>',
      '~static/vendors.*.js#<anonymous>',
      'static/main.js#<min>',
    ]);
    expect(readPlaces(stack)[0]).toBe('/static/checkout.4f1d2c9b.js:2:1187');
  });

  it('leave out extensions, bundles of libraries and the own code of Hermes', () => {
    const stack = `TypeError: x is undefined
    at inject (chrome-extension://abcdefgh/content.js:3:9)
    at patch (moz-extension://1f2e/inject.js:1:1)
    at run (https://a.example/js/runtime-main.2f1c9a7e.js:1:1)
    at poly (https://a.example/js/polyfills.js:1:1)
    at fire (https://a.example/js/jquery-3.6.0.min.js:2:1)
    at frameworkUsage (https://a.example/js/frameworks.js:2:1)
    at apply (address at InternalBytecode.js:1:700)
    at local (/app/js/runtime.js:2:1)`;
    expect(readFrames(stack).map((frame) => frame.startsWith('~'))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      true,
      false,
    ]);
  });

  it('take the file inside of an eval', () => {
    const stack = `ReferenceError: total is not defined
    at eval (eval at render (https://shop.example.com/js/templates.js:88:14), <anonymous>:3:7)
    at compile (eval at run (webpack-internal:///(rsc)/./src/lib/compile.ts:12:5), <anonymous>:1:1)`;
    expect(readFrames(stack)).toEqual(['js/templates.js#<anonymous>', 'lib/compile.ts#compile']);
    expect(readPlaces(stack)).toEqual(['/js/templates.js:88:14', '/(rsc)/./src/lib/compile.ts:12:5']);
  });

  it('read bundler sources, Windows paths and frames without a function', () => {
    const stack = `Error: no
    at webpack:///./src/pages/Home.vue?3d1a:21:8
    at async C:\\work\\shop\\src\\jobs\\mail.js:7:1
    at save (C:\\work\\shop\\src\\db\\save.js:9:22)
    at Promise.all (index 0)
    at global.setup (/app/setup.cjs:1:1)`;
    expect(readFrames(stack)).toEqual([
      'pages/Home.vue#<anonymous>',
      'jobs/mail.js#<anonymous>',
      'db/save.js#save',
      'app/setup.cjs#setup',
    ]);
    expect(readPlaces(stack)[0]).toBe('/./src/pages/Home.vue:21:8');
  });

  it.each([
    ['async fetchAll', 'fetchAll'],
    ['new Foo', 'Foo'],
    ['Object.<anonymous>', '<anonymous>'],
    ['Cart.<computed> [as sum]', '<anonymous>'],
    ['anonymous', '<anonymous>'],
    ['eval', '<anonymous>'],
    ['exports.handler', 'handler'],
    ['globalThis.boot', 'boot'],
    ['Object.Object.keys', 'Object.keys'],
    ['Cart.of', 'Cart.of'],
  ])('name the function %s as %s', (written, name) => {
    expect(readFrames(`Error\n    at ${written} (/app/src/a/b.js:1:2)`)).toEqual([`a/b.js#${name}`]);
  });
});
