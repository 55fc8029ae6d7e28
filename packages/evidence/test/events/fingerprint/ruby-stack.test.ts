import { describe, expect, it } from 'vitest';
import { readChain, readFrames, readPlaces } from './read-chain.ts';

describe('Ruby backtraces', () => {
  it('read a Rails backtrace with gems and the standard library', () => {
    const stack = `app/services/invoice.rb:31:in \`rescue in close'
app/services/invoice.rb:27:in \`close'
/usr/local/bundle/gems/activesupport-7.1.3/lib/active_support/callbacks.rb:121:in \`run_callbacks'
/usr/local/lib/ruby/3.2.0/net/http.rb:1603:in \`start'
/opt/ruby/3.2.0/timeout.rb:10:in \`timeout'
/srv/app/bin/rails:4:in \`<main>'
<internal:kernel>:187:in \`loop'`;
    expect(readChain(stack)).toEqual([
      [
        ': ',
        'services/invoice.rb#close',
        'services/invoice.rb#close',
        '~active_support/callbacks.rb#run_callbacks',
        '~net/http.rb#start',
        '~*/timeout.rb#timeout',
        '~bin/rails#<main>',
      ],
    ]);
  });

  it('read the newer labels with receivers', () => {
    const stack = `/rails/app/models/cart.rb:47:in 'Cart#total'
/rails/app/models/cart.rb:12:in 'Cart.load_all'
/rails/app/models/shop/basket.rb:3:in 'block (2 levels) in Shop::Basket#each'
/rails/app/models/shop/basket.rb:1:in '<class:Basket>'
/rails/config/application.rb:9:in 'block in <top (required)>'
/rails/app/models/list.rb:9:in 'Array#<=>'`;
    expect(readFrames(stack)).toEqual([
      'models/cart.rb#total',
      'models/cart.rb#load_all',
      'shop/basket.rb#each',
      'shop/basket.rb#<main>',
      'config/application.rb#<main>',
      'models/list.rb#<=>',
    ]);
  });

  it('read uncaught errors, where the first line carries the message', () => {
    const stack = `lib/importer.rb:8:in \`parse': unexpected token (JSON::ParserError)
	from lib/importer.rb:3:in \`run'
	from bin/import:2:in \`<main>'`;
    expect(readFrames(stack)).toEqual(['lib/importer.rb#parse', 'lib/importer.rb#run', 'bin/import#<main>']);
    expect(readPlaces(stack)[0]).toBe('lib/importer.rb:8:?');
  });

  it('follow "Caused by" lines', () => {
    const stack = `app/jobs/sync_job.rb:10:in \`perform'
Caused by: Faraday::ConnectionFailed: Failed to open TCP connection
app/clients/erp.rb:22:in \`post'
/usr/local/bundle/gems/faraday-2.9.0/lib/faraday.rb:5:in \`call'`;
    expect(readChain(stack)).toEqual([
      [': ', 'jobs/sync_job.rb#perform'],
      [
        'Faraday::ConnectionFailed: Failed to open TCP connection',
        'clients/erp.rb#post',
        '~lib/faraday.rb#call',
      ],
    ]);
  });

  it('begin a cause where `full_message` says what the next exception is', () => {
    const stack = `/app/lib/shop/payments.rb:17:in 'Shop::Payments#charge': card declined (Shop::PaymentError)
	from /app/lib/shop/checkout.rb:41:in 'block in Shop::Checkout#run'
/app/lib/shop/gateway.rb:9:in 'Shop::Gateway#post': timed out (again) (Net::ReadTimeout)
	from /app/lib/shop/payments.rb:15:in 'Shop::Payments#charge'`;
    expect(readChain(stack)).toEqual([
      ['Shop::PaymentError: card declined', 'shop/payments.rb#charge', 'shop/checkout.rb#run'],
      ['Net::ReadTimeout: timed out (again)', 'shop/gateway.rb#post', 'shop/payments.rb#charge'],
    ]);
  });

  it('follow "cause:" lines whose header stands on the next line', () => {
    const stack = `RuntimeError: outer
app/a.rb:1:in \`a'
cause:

ArgumentError: inner
app/b.rb:2:in \`b'`;
    expect(readChain(stack)).toEqual([
      ['RuntimeError: outer', 'app/a.rb#a'],
      ['ArgumentError: inner', 'app/b.rb#b'],
    ]);
  });

  it('read numbered frames, Windows paths and template files', () => {
    const stack = `#0 app/views/carts/show.html.erb:5:in \`_app_views_carts_show'
#1 C:/code/app/lib/price.rb:7:in \`price'
   from C:/code/app/lib/price.rb:9:in \`ensure in block in price'`;
    expect(readFrames(stack)).toEqual([
      'carts/show.html.erb#_app_views_carts_show',
      'lib/price.rb#price',
      'lib/price.rb#price',
    ]);
  });
});
