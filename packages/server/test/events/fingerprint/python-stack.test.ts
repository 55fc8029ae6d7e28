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
