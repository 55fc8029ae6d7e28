import { describe, expect, it } from 'vitest';
import { readChain, readFrames, readPlaces } from './read-chain.ts';

describe('PHP traces', () => {
  it('place each function in the file of the entry before it', () => {
    const stack = `App\\Exceptions\\StockException: Only 2 left in /var/www/app/Domain/Stock.php:44
Stack trace:
#0 /var/www/app/Domain/Order.php(18): App\\Domain\\Stock->take(3)
#1 /var/www/app/helpers.php(7): App\\Domain\\Order::place(Array)
#2 [internal function]: place_order(Object(stdClass))
#3 /var/www/app/Console/run.php(5): array_map(Object(Closure), Array)
#4 /var/www/vendor/laravel/framework/src/Kernel.php(12): run_console()
#5 /var/www/public/index.php(3): Illuminate\\Foundation\\Http\\Kernel->handle()
#6 {main}`;
    expect(readChain(stack)).toEqual([
      [
        'App\\Exceptions\\StockException: Only 2 left',
        'App\\Domain\\Stock#take',
        'App\\Domain\\Order#place',
        'app/helpers.php#place_order',
        '~#array_map',
        'Console/run.php#run_console',
        '~Illuminate\\Foundation\\Http\\Kernel#handle',
        'public/index.php#<main>',
      ],
    ]);
    expect(readPlaces(stack)[0]).toBe('/var/www/app/Domain/Stock.php:44:?');
  });

  it('read Next blocks: the last one is the outermost', () => {
    const stack = `PDOException: SQLSTATE[HY000] [2002] Connection refused in /app/src/Db.php:10
Stack trace:
#0 /app/src/Db.php(10): PDO->__construct('mysql:host=db')
#1 /app/src/Repo.php(20): Acme\\Db->open()
#2 {main}

Next Acme\\StoreException: cannot open in /app/src/Repo.php:22
Stack trace:
#0 /app/src/Api.php(5): Acme\\Repo->find(1)
#1 {main}

Next RuntimeException: request failed in /app/src/Api.php:9
Stack trace:
#0 /app/public/index.php(3): Acme\\Api->run()
#1 {main}`;
    expect(readChain(stack)).toEqual([
      ['RuntimeException: request failed', 'Acme\\Api#run', 'public/index.php#<main>'],
      ['Acme\\StoreException: cannot open', 'Acme\\Repo#find', 'src/Api.php#<main>'],
      [
        'PDOException: SQLSTATE[HY000] [2002] Connection refused',
        '~PDO#__construct',
        'Acme\\Db#open',
        'src/Repo.php#<main>',
      ],
    ]);
  });

  it('read a trace without a header: the first definition is unknown', () => {
    const stack = `#0 /app/src/Cart.php(31): Acme\\Cart->total()
#1 /app/src/Page.php(9): strlen()
#2 {main}`;
    expect(readFrames(stack)).toEqual(['Acme\\Cart#total', 'src/Cart.php#strlen', 'src/Page.php#<main>']);
    expect(readPlaces(stack)[0]).toBe('?:?:?');
    expect(readFrames('#0 /app/a.php(1): strlen(Array)\n#1 {main}')[0]).toBe('~#strlen');
  });

  it('name closures of every version and anonymous classes alike', () => {
    const stack = `Exception: x in /app/src/A.php:1
Stack trace:
#0 /app/src/B.php(2): Acme\\{closure}(1)
#1 /app/src/C.php(3): Acme\\Jobs->Acme\\{closure}(Object(Foo))
#2 /app/src/D.php(4): Acme\\Jobs->{closure:Acme\\Jobs::run():12}()
#3 /app/src/E.php(5): {closure:/app/src/D.php:9}('a')
#4 /app/src/F.php(6): class@anonymous/app/src/E.php:7$0->handle()
#5 /app/src/G.php(7): \\Acme\\Root->go()`;
    expect(readFrames(stack)).toEqual([
      'src/A.php#<anonymous>',
      'Acme\\Jobs#<anonymous>',
      'Acme\\Jobs#<anonymous>',
      'src/D.php#<anonymous>',
      'class@anonymous#handle',
      'Acme\\Root#go',
    ]);
  });

  it('skip entries without a function and drop arguments of any form', () => {
    const stack = `Exception in /app/a.php:1
Stack trace:
#0 /app/b.php(2)
#1 [internal function]
#2 /app/c.php(3): Acme\\Mail->send('it''s (ok): yes', Array)
#3 /app/d.php(4): include('/app/c.php')`;
    expect(readFrames(stack)).toEqual(['Acme\\Mail#send', 'app/c.php#include']);
  });

  it('leave out vendor files, library namespaces and built-in classes', () => {
    const stack = `Exception: x in /app/vendor/acme/tool/src/Tool.php:1
Stack trace:
#0 /app/src/A.php(2): Acme\\Tool\\Tool->run()
#1 /app/src/B.php(3): Symfony\\Component\\Console\\Application->run()
#2 /app/src/C.php(4): ArrayIterator->next()
#3 /app/src/D.php(5): Arrays->sum()`;
    expect(readFrames(stack).map((frame) => frame.startsWith('~'))).toEqual([true, true, true, true]);
    expect(readFrames('Exception: x in /app/vendors/A.php:1\n#0 /app/b.php(2): Acme\\A->run()')).toEqual([
      'Acme\\A#run',
    ]);
  });

  it('find the place of a message of several lines on its last line', () => {
    const stack = `Acme\\QueryException: bad query
select 1
from t in /app/src/Query.php:33
Stack trace:
#0 /app/src/Repo.php(2): run_query('select 1')
#1 {main}`;
    expect(readChain(stack)).toEqual([
      ['Acme\\QueryException: bad query', 'src/Query.php#run_query', 'src/Repo.php#<main>'],
    ]);
  });
});
