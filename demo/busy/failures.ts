import { BUSY_SERVICES, type BusyServiceName } from './services.ts';

/** The failures of the busy project. Each becomes one incident. */
export interface Failure {
  service: BusyServiceName;
  type: string;
  /** `{n}` is another number in every event. */
  message: string;
  function: string;
  file: string;
  events: number;
  /** The times of the first and the last event, in hours before now. */
  from: number;
  to: number;
  kind?: 'log' | 'request';
  frames?: number;
  /** The further course of the failure. */
  story?: 'main' | 'spike' | 'regressed' | 'escalated' | 'resolved';
}

type Row = readonly [
  type: string,
  message: string,
  place: string,
  events: number,
  from: number,
  to: number,
  more?: Pick<Failure, 'kind' | 'frames' | 'story'>,
];

const LONG_ENGLISH =
  'The order could not be placed because one of its lines refers to an article that the warehouse no longer keeps, ';
const LONG_JAPANESE = '在庫の引き当てに失敗しました。倉庫から応答がないため、注文を確定できませんでした。';

/** A text of 500 characters, made of one that repeats. */
function long(text: string): string {
  return [...text.repeat(10)].slice(0, 500).join('').replace(/ $/, '.');
}

/** The place of a row is the function and the file; of a log line it is the logger. */
const ROWS: Readonly<Record<BusyServiceName, readonly Row[]>> = {
  'checkout-api': [
    [
      'TypeError',
      "Cannot read properties of undefined (reading 'country')",
      'shippingZone src/checkout/shipping.ts',
      420,
      219,
      0.02,
      { story: 'main' },
    ],
    [
      'PaymentDeclinedError',
      'The bank declined the payment of order {n}',
      'capture src/checkout/capture.ts',
      40,
      330,
      3,
      { story: 'escalated' },
    ],
    ['OrderRejectedError', long(LONG_ENGLISH), 'placeOrder src/orders/place-order.ts', 14, 90, 7],
    [
      'RangeError',
      'Maximum call stack size exceeded',
      'expandBundle src/catalog/expand-bundle.ts',
      18,
      130,
      20,
      { frames: 160 },
    ],
    [
      'GiftCardError',
      'Gift card {n} has been used 🎁💳',
      'redeem src/gift-cards/redeem.ts',
      11,
      60,
      2.5,
      { story: 'regressed' },
    ],
    [
      'ZodError',
      'Invalid input: expected string, received null',
      'parseAddress src/http/address.ts',
      24,
      180,
      9,
    ],
    [
      'ConflictError',
      'Cart {n} was changed by another request',
      'saveCart src/cart/save-cart.ts',
      33,
      300,
      1.5,
    ],
    ['AbortError', 'The operation was aborted due to timeout', 'quote src/carriers/quote.ts', 16, 70, 4],
    ['', 'POST /api/checkout', 'postCheckout src/http/checkout.ts', 22, 48, 1, { kind: 'request' }],
    ['', 'GET /api/orders/:id/invoice', 'getInvoice src/http/invoice.ts', 8, 26, 12, { kind: 'request' }],
  ],
  storefront: [
    [
      'TypeError',
      'cart.lines.map is not a function',
      'CartSummary src/cart/cart-summary.tsx',
      150,
      160,
      0.05,
      { story: 'spike' },
    ],
    ['ChunkLoadError', 'Loading chunk {n} failed', 'loadRoute src/router/load-route.ts', 46, 18.5, 0.6],
    ['RangeError', 'Invalid time value', 'formatDelivery src/product/delivery.tsx', 19, 140, 15],
    ['エラー', '商品 {n} の価格を計算できません', 'priceOf src/product/price.ts', 12, 100, 6],
    [
      'InvalidStateError',
      'The object is in an invalid state',
      'startVideo src/product/video.tsx',
      7,
      240,
      60,
    ],
    ['QuotaExceededError', 'The quota has been exceeded', 'keepBasket src/cart/keep-basket.ts', 9, 200, 30],
    ['SyntaxError', 'Unexpected token < in JSON at position 0', 'readReviews src/reviews/read.ts', 26, 80, 5],
    [
      'ReferenceError',
      'gtag is not defined',
      'track src/analytics/track.ts',
      31,
      320,
      22,
      { story: 'resolved' },
    ],
    ['NotAllowedError', 'Write permission denied', 'copyCode src/vouchers/copy-code.tsx', 5, 50, 18],
    [
      'TypeError',
      "null is not an object (evaluating 'slot.dataset')",
      'mountBanner src/ads/banner.ts',
      13,
      110,
      11,
    ],
  ],
  payments: [
    [
      'java.sql.SQLTransientConnectionException',
      'HikariPool-1 - Connection is not available, request timed out after {n}ms',
      'com.shop.payments.ledger.LedgerRepository.append LedgerRepository.java',
      52,
      76,
      0.4,
    ],
    [
      'java.lang.NullPointerException',
      'Cannot invoke "Mandate.iban()" because "mandate" is null',
      'com.shop.payments.sepa.SepaCollector.collect SepaCollector.java',
      17,
      73,
      8,
    ],
    [
      'com.shop.payments.FraudSuspectedException',
      'Payment {n} was held back',
      'com.shop.payments.fraud.FraudGate.check FraudGate.java',
      29,
      200,
      2,
    ],
    [
      'java.util.concurrent.TimeoutException',
      'Did not observe any item within 3000ms',
      'com.shop.payments.psp.AcquirerClient.send AcquirerClient.java',
      21,
      160,
      10,
    ],
    [
      'org.hibernate.StaleObjectStateException',
      'Row was updated or deleted by another transaction',
      'com.shop.payments.refund.RefundService.settle RefundService.java',
      10,
      280,
      26,
      { story: 'resolved' },
    ],
    [
      'java.lang.IllegalStateException',
      'انتهت صلاحية جلسة الدفع رقم {n}',
      'com.shop.payments.session.SessionGuard.require SessionGuard.java',
      15,
      96,
      3.5,
    ],
    [
      'java.net.UnknownHostException',
      'psp-eu-2.internal: Name or service not known',
      'com.shop.payments.psp.Resolver.lookup Resolver.java',
      6,
      35,
      33,
      { story: 'resolved' },
    ],
    [
      'java.time.format.DateTimeParseException',
      "Text '31.11.2026' could not be parsed at index 0",
      'com.shop.payments.report.Statement.parseDay Statement.java',
      8,
      64,
      14,
    ],
    ['', 'Ledger and acquirer differ by {n} cents', 'ledger.reconciliation', 9, 190, 19, { kind: 'log' }],
  ],
  'search-api': [
    ['KeyError', "'facets'", 'build_facets app/search/facets.py', 38, 20.5, 0.3],
    [
      'opensearchpy.exceptions.ConnectionTimeout',
      'Search {n} timed out',
      'run_query app/search/client.py',
      44,
      220,
      1.2,
    ],
    [
      'UnicodeDecodeError',
      "'utf-8' codec can't decode byte 0xe9",
      'read_synonyms app/search/synonyms.py',
      4,
      170,
      90,
    ],
    ['ValueError', 'Не удалось разобрать запрос «{n}»', 'parse_query app/search/parse.py', 20, 125, 4.5],
    ['AttributeError', "'NoneType' object has no attribute 'boost'", 'rank app/search/rank.py', 12, 20, 5.5],
    [
      'pydantic.ValidationError',
      '1 validation error for SearchPage',
      'page_of app/search/page.py',
      9,
      66,
      16,
    ],
    [
      'RecursionError',
      'maximum recursion depth exceeded',
      'flatten_filter app/search/filters.py',
      6,
      145,
      28,
      { frames: 60 },
    ],
    [
      'ZeroDivisionError',
      'division by zero',
      'average_rating app/search/rating.py',
      15,
      260,
      40,
      { story: 'resolved' },
    ],
    ['', 'GET /v2/suggest', 'suggest app/http/suggest.py', 18, 54, 2.2, { kind: 'request' }],
  ],
  inventory: [
    [
      '*errors.errorString',
      'reserve: stock of article {n} is negative',
      'shop/inventory/reserve.(*Reserver).Reserve reserve/reserver.go',
      35,
      118,
      0.9,
    ],
    [
      'runtime.boundsError',
      'index out of range [3] with length 3',
      'shop/inventory/shelf.Nearest shelf/nearest.go',
      11,
      90,
      9.5,
    ],
    [
      '*net.OpError',
      'dial tcp 10.4.0.17:5432: connect: connection refused',
      'shop/inventory/store.Open store/open.go',
      23,
      47,
      46,
      { story: 'resolved' },
    ],
    [
      '*pgconn.PgError',
      'deadlock detected (SQLSTATE 40P01)',
      'shop/inventory/store.(*Tx).Move store/move.go',
      14,
      210,
      13,
    ],
    [
      '*json.SyntaxError',
      'invalid character after top-level value',
      'shop/inventory/feed.Decode feed/decode.go',
      7,
      150,
      55,
    ],
    ['InventoryError', long(LONG_JAPANESE), 'shop/inventory/allocate.Plan allocate/plan.go', 16, 85, 3.2],
    [
      'context.deadlineExceededError',
      'context deadline exceeded',
      'shop/inventory/supplier.(*Client).Fetch supplier/client.go',
      27,
      320,
      7.5,
    ],
    ['', 'Count of shelf {n} was rejected', 'inventory.stocktaking', 12, 100, 24, { kind: 'log' }],
  ],
  mailer: [
    [
      'Symfony\\Component\\Mailer\\Exception\\TransportException',
      'Connection could not be established with host "smtp.shop.example:587"',
      'App\\Mail\\Transport->send src/Mail/Transport.php',
      32,
      245,
      1.8,
    ],
    [
      'Twig\\Error\\RuntimeError',
      'Variable "order" does not exist',
      'App\\Mail\\Receipt->render src/Mail/Receipt.php',
      13,
      55,
      6.5,
    ],
    [
      'InvalidArgumentException',
      'The address of customer {n} is not valid',
      'App\\Mail\\Recipient->check src/Mail/Recipient.php',
      19,
      190,
      12.5,
    ],
    [
      'TypeError',
      'count(): Argument must be of type Countable',
      'App\\Mail\\Digest->size src/Mail/Digest.php',
      8,
      75,
      21,
    ],
    [
      'ErrorException',
      'Undefined array key "locale"',
      'App\\Mail\\Locale->of src/Mail/Locale.php',
      10,
      135,
      17,
    ],
    [
      'JsonException',
      'Malformed UTF-8 characters',
      'App\\Queue\\Message->decode src/Queue/Message.php',
      5,
      230,
      70,
    ],
    ['', '📭 Bounce of mail {n}: mailbox full', 'mailer.bounces', 17, 180, 4.2, { kind: 'log' }],
  ],
  'recommendations-and-personalization-worker': [
    [
      'torch.OutOfMemoryError',
      'CUDA out of memory. Tried to allocate {n} MiB',
      'score_batch worker/scoring/batch.py',
      25,
      43,
      0.7,
    ],
    [
      'celery.exceptions.SoftTimeLimitExceeded',
      'SoftTimeLimitExceeded()',
      'refresh_profiles worker/tasks/profiles.py',
      18,
      170,
      8.5,
    ],
    ['IndexError', 'list index out of range', 'top_items worker/scoring/top.py', 9, 42, 10.5],
    [
      'redis.exceptions.ResponseError',
      'OOM command not allowed when used memory > maxmemory',
      'remember worker/cache/remember.py',
      21,
      110,
      23,
    ],
    [
      'FileNotFoundError',
      "No such file or directory: '/models/v7/items.idx'",
      'load_index worker/models/load.py',
      6,
      44,
      43,
      { story: 'resolved' },
    ],
    ['AssertionError', 'Вектор товара {n} пуст', 'embed worker/models/embed.py', 12, 95, 5.8],
    ['', 'Skipped {n} profiles without consent', 'personalization.consent', 14, 155, 27, { kind: 'log' }],
  ],
};

export const FAILURES: readonly Failure[] = BUSY_SERVICES.flatMap(({ name: service }) =>
  ROWS[service].map(([type, message, place, events, from, to, more]) => {
    const at = place.lastIndexOf(' ');
    const [name, file] = at < 0 ? [place, ''] : [place.slice(0, at), place.slice(at + 1)];
    return { service, type, message, function: name, file, events, from, to, ...more };
  }),
);
