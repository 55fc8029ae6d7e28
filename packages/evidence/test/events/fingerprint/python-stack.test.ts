import { describe, expect, it } from 'vitest';
import { readChain, readFrames, readPlaces } from './read-chain.ts';

describe('Python tracebacks', () => {
  it('are reversed, with the library frames marked', () => {
    const stack = `Traceback (most recent call last):
  File "/app/manage.py", line 22, in <module>
    main()
  File "/app/.venv/lib/python3.12/site-packages/flask/app.py", line 1473, in wsgi_app
    response = self.full_dispatch_request()
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/app/shop/cart.py", line 31, in total
    return sum(item.price for item in items)
KeyError: 'price'`;
    expect(readChain(stack)).toEqual([
      ["KeyError: 'price'", 'shop/cart.py#total', '~flask/app.py#wsgi_app', 'app/manage.py#<module>'],
    ]);
    expect(readPlaces(stack)[0]).toBe('/app/shop/cart.py:31:?');
  });

  it('follow direct causes from the last block back', () => {
    const stack = `Traceback (most recent call last):
  File "/app/db/session.py", line 9, in connect
    raise OSError("refused")
OSError: refused

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/db/pool.py", line 14, in acquire
    connect()
app.errors.PoolError: no connection

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/api/orders.py", line 40, in create
    pool.acquire()
app.errors.OrderError: order not stored
in two lines`;
    expect(readChain(stack)).toEqual([
      ['app.errors.OrderError: order not stored', 'api/orders.py#create'],
      ['app.errors.PoolError: no connection', 'db/pool.py#acquire'],
      ['OSError: refused', 'db/session.py#connect'],
    ]);
  });

  it('end the chain where an exception only came up during handling', () => {
    const stack = `Traceback (most recent call last):
  File "/app/cache.py", line 3, in get
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/store.py", line 8, in load
ValueError: bad row`;
    expect(readChain(stack)).toEqual([['ValueError: bad row', 'app/store.py#load']]);
  });

  it('mix both joints: the chain ends at the first one that is not direct', () => {
    const stack = `Traceback (most recent call last):
  File "/app/a.py", line 1, in a
A: 1
During handling of the above exception, another exception occurred:
Traceback (most recent call last):
  File "/app/b.py", line 1, in b
B: 2
The above exception was the direct cause of the following exception:
Traceback (most recent call last):
  File "/app/c.py", line 1, in c
C: 3`;
    expect(readChain(stack).map(([head]) => head)).toEqual(['C: 3', 'B: 2']);
  });

  it('leave out frozen modules, strings and the standard library', () => {
    const stack = `Traceback (most recent call last):
  File "<frozen importlib._bootstrap>", line 1360, in _find_and_load
  File "<string>", line 1, in <module>
  File "<stdin>", line 1, in <module>
  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
  File "/opt/venv/bin/run.py", line 2, in <module>
  File "/home/ci/pythonic/app.py", line 2, in start
ImportError: no`;
    expect(readFrames(stack).map((frame) => frame.startsWith('~'))).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
    ]);
  });

  it('read a syntax error, whose last frame has no function', () => {
    const stack = `  File "/app/jobs/report.py", line 12
    def run(:
            ^
SyntaxError: invalid syntax`;
    expect(readChain(stack)).toEqual([['SyntaxError: invalid syntax', 'jobs/report.py#<module>']]);
  });

  it.each([
    ['<lambda>', '<anonymous>'],
    ['<listcomp>', '<anonymous>'],
    ['<genexpr>', '<anonymous>'],
    ['outer.<locals>.inner', 'inner'],
    ['outer.<locals>.<lambda>', '<anonymous>'],
    ['Cart.total', 'Cart.total'],
    ['async wrapper', 'async wrapper'],
  ])('name the function %s as %s', (written, name) => {
    expect(readFrames(`  File "/srv/app/x.py", line 3, in ${written}\nE: m`)).toEqual([`app/x.py#${name}`]);
  });
});

/** The drawing of a group at the outermost level, around its members at the next one. */
function group(...members: string[]): string {
  const rules = members.map((member, index) => {
    const rule = `${index === 0 ? '  +-+' : '    +'}---------------- ${index + 1} ----------------`;
    return `${rule}\n${member.replace(/^/gm, '    | ')}`;
  });
  return `  + Exception Group Traceback (most recent call last):
  |   File "/app/main.py", line 4, in refresh
  |     async with asyncio.TaskGroup() as group:
  | ExceptionGroup: unhandled errors in a TaskGroup (${members.length} sub-exceptions)
${rules.join('\n')}
    +------------------------------------`;
}

const STOCK = `Traceback (most recent call last):
  File "/app/stock.py", line 9, in load
    raise StockError("none")
StockError: none`;
const PRICE = `Traceback (most recent call last):
  File "/app/price.py", line 5, in fetch
    raise ValueError("bad")
ValueError: bad`;
const LIBRARY = `Traceback (most recent call last):
  File "/usr/lib/python3.11/zoo.py", line 5, in z
    raise ZooError("bad")
ZooError: bad`;
const GROUP_HEAD = (members: number) => [
  `ExceptionGroup: unhandled errors in a TaskGroup (${members} sub-exceptions)`,
  'app/main.py#refresh',
];

describe('Python exception groups', () => {
  it('are read with the frames of the group and of each member', () => {
    expect(readChain(group(PRICE, STOCK))).toEqual([
      GROUP_HEAD(2),
      ['StockError: none', 'app/stock.py#load'],
      ['ValueError: bad', 'app/price.py#fetch'],
    ]);
  });

  it('read alike in whatever order the members failed, those of the application last', () => {
    const chain = readChain(group(PRICE, STOCK, LIBRARY));
    expect(chain).toEqual(readChain(group(LIBRARY, STOCK, PRICE)));
    expect(chain.map(([head]) => head)).toEqual([
      GROUP_HEAD(3)[0],
      'ZooError: bad',
      'StockError: none',
      'ValueError: bad',
    ]);
  });

  it('have members with causes, without frames, and groups as members', () => {
    const caused = `${STOCK}\n\nThe above exception was the direct cause of the following exception:\n\n${PRICE}`;
    const nested = `Exception Group Traceback (most recent call last):
  File "/app/inner.py", line 2, in inner
    raise ExceptionGroup("inner", errors)
ExceptionGroup: inner (1 sub-exception)`;
    // The rule of a group inside a member begins where the bars of the member stand.
    const stack = group(caused, 'KeyError: never raised', nested).replace(
      /\n {4}\+-+$/,
      `\n    +-+---------------- 1 ----------------\n${STOCK.replace(/^/gm, '      | ')}\n      +------------------------------------\n    +------------------------------------`,
    );
    expect(readChain(stack)).toEqual([
      GROUP_HEAD(3),
      ['KeyError: never raised'],
      ['ExceptionGroup: inner (1 sub-exception)', 'app/inner.py#inner'],
      ['StockError: none', 'app/stock.py#load'],
      ['ValueError: bad', 'app/price.py#fetch'],
      ['StockError: none', 'app/stock.py#load'],
    ]);
  });

  it('are the cause of what was raised from them', () => {
    const stack = `${group(PRICE)}\n\nThe above exception was the direct cause of the following exception:\n\n${STOCK}`;
    expect(readChain(stack)).toEqual([
      ['StockError: none', 'app/stock.py#load'],
      GROUP_HEAD(1),
      ['ValueError: bad', 'app/price.py#fetch'],
    ]);
  });

  it('keep the cause they were raised from as the innermost, as version 1 always did', () => {
    const stack = `${STOCK}\n\nThe above exception was the direct cause of the following exception:\n\n${group(PRICE)}`;
    expect(readChain(stack).at(-1)).toEqual(['StockError: none', 'app/stock.py#load']);
  });

  it('leave out what Python left out of the drawing', () => {
    const stack = group(PRICE).replace(
      /\n {4}\+-+$/,
      '\n    +---------------- ... ----------------\n    | and 3 more exceptions\n    +------------------------------------',
    );
    expect(readChain(stack)).toEqual([GROUP_HEAD(1), ['ValueError: bad', 'app/price.py#fetch']]);
  });

  it.each([
    ['cut after its head', '  + Exception Group Traceback (most recent call last):'],
    ['cut inside a member', group(PRICE).slice(0, 340)],
    [
      'rules without a group',
      `${group(PRICE)}\n                +-+---------------- 1 ----------------\n | x`,
    ],
    [
      'nested beyond measure',
      `${group(PRICE)}\n${Array.from({ length: 400 }, (_, i) => `${' '.repeat(2 * i + 2)}+-+---------------- 1 ----------------`).join('\n')}`,
    ],
  ])('survive a drawing that is %s', (_, stack) => {
    expect(() => readChain(stack)).not.toThrow();
  });
});
