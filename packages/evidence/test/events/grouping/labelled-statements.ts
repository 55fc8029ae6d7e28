/** Messages whose words stand inside quotation marks or in a record; each entry is one cause. */
export const STATEMENTS: readonly { class: string; same: readonly string[] }[] = [
  {
    class: 'logrus: cart',
    same: [
      'time="2026-03-01T10:00:00Z" level=error msg="cart of the guest could not be priced" cart=12',
      'time="2026-04-02T11:30:00Z" level=error msg="cart of the guest could not be priced" cart=981 retry=true',
    ],
  },
  {
    class: 'logrus: refund',
    same: ['time="2026-03-01T10:00:00Z" level=error msg="refund was sent to a closed account" cart=12'],
  },
  {
    class: 'slog: refused',
    same: [
      'time=2026-03-01T10:00:00.000Z level=ERROR msg="queue worker stopped" err="dial tcp 10.0.0.1:5672: connect: connection refused"',
      'time=2026-03-01T10:00:05.000Z level=ERROR msg="queue worker stopped" err="dial tcp 10.0.0.9:5672: connect: connection refused"',
    ],
  },
  {
    class: 'slog: deadline',
    same: [
      'time=2026-03-01T10:00:00.000Z level=ERROR msg="queue worker stopped" err="context deadline exceeded"',
    ],
  },
  {
    class: 'pino: basket',
    same: [
      '{"level":50,"time":1772359200000,"pid":7,"hostname":"web-1","msg":"basket is locked by another tab","user":"Jane Doe"}',
      '{"msg":"basket is locked by another tab","level":50,"user":"Max Müller","time":1772359201000}',
    ],
  },
  {
    class: 'pino: voucher',
    same: [
      '{"level":50,"time":1772359200000,"pid":7,"hostname":"web-1","msg":"voucher has been used before"}',
    ],
  },
  {
    class: 'klog: admit',
    same: [
      'E0312 10:11:12.123456       1 kubelet.go:42] "Failed to admit pod" pod="default/shop-1"',
      'E0313 09:01:02.000001       7 kubelet.go:48] "Failed to admit pod" pod="prod/mail-77" node="n1"',
    ],
  },
  {
    class: 'klog: evict',
    same: ['E0312 10:11:12.123456       1 eviction.go:9] "Failed to evict pod" pod="a/b"'],
  },
  {
    class: 'structlog: stock',
    same: [
      "{'event': 'stock is below zero', 'level': 'error', 'sku': 'red shirt'}",
      "{'event': 'stock is below zero', 'level': 'error', 'sku': 'blue coat'}",
    ],
  },
  { class: 'structlog: label', same: ["{'event': 'label printer is offline', 'level': 'error'}"] },
  {
    class: 'serilog: template',
    same: [
      '{"@t":"2026-03-01T10:00:00Z","@l":"Error","@mt":"Order {Id} has no {Part}","Id":5,"Part":"left shoe"}',
      '{"@t":"2026-03-01T10:00:00Z","@l":"Error","@mt":"Order {Id} has no {Part}","Id":9,"Part":"right shoe"}',
    ],
  },
  {
    class: 'a container around JSON',
    same: ['{"log":"{\\"level\\":\\"error\\",\\"msg\\":\\"search index is stale\\"}\\n","stream":"stderr"}'],
  },
  {
    class: 'JSON of Google',
    same: [
      '{\n "error": {\n  "code": 404,\n  "message": "The bucket does not exist",\n "status": "NOT_FOUND"}\n}',
    ],
  },
  {
    class: 'JSON of Google, other',
    same: [
      '{\n "error": {\n  "code": 403,\n  "message": "The caller lacks a role",\n "status": "DENIED"}\n}',
    ],
  },
  { class: 'unwrap', same: ['called `Result::unwrap()` on an `Err` value: "basket file is gone"'] },
  { class: 'unwrap, other', same: ['called `Result::unwrap()` on an `Err` value: "price list is gone"'] },
  {
    class: 'old panic',
    same: [
      "thread 'main' panicked at 'basket must load', src/main.rs:4:5",
      "thread 'worker' panicked at 'basket must load', src/main.rs:9:5",
    ],
  },
  { class: 'old panic, other', same: ["thread 'main' panicked at 'mail must load', src/main.rs:4:5"] },
  { class: 'type and colon', same: ['IllegalStateException: "basket was closed"'] },
  { class: 'type and colon, other', same: ['IllegalStateException: "basket was never opened"'] },
  { class: 'repr', same: ["Task failed: ValueError('basket was closed')"] },
  { class: 'repr, other', same: ["Task failed: ValueError('basket was never opened')"] },
  { class: 'PHP', same: ["Uncaught exception 'PDOException' with message 'basket table is locked'"] },
  {
    class: 'PHP, other',
    same: ["Uncaught exception 'PDOException' with message 'basket table is read only'"],
  },
  { class: 'guillemets', same: ['«корзина пуста сейчас»'] },
  { class: 'guillemets, other', same: ['«платёж отклонён банком»'] },
  { class: 'curly', same: ['“the basket is empty now”'] },
  {
    class: 'Heroku',
    same: ['at=error code=H12 desc="Request timeout" method=GET path="/" host=x.example.com request_id=a-b'],
  },
  {
    class: 'Heroku, other',
    same: ['at=error code=H13 desc="Connection closed without response" method=GET path="/"'],
  },
  { class: 'HTTP reason', same: ['the upstream host sent "502 Bad Gateway" to us'] },
  { class: 'HTTP reason, other', same: ['the upstream host sent "404 Not Found" to us'] },
  { class: 'Go map', same: ['map[code:5 message:basket was closed]'] },
  {
    class: 'Kotlin',
    same: [
      'BasketError(message=basket was closed, code=5)',
      'BasketError(message=basket was closed, code=77)',
    ],
  },
  {
    class: 'Ruby',
    same: [
      '{"message"=>"basket was closed by hand", :id=>5}',
      '{:id=>77, "message"=>"basket was closed by hand"}',
    ],
  },
  {
    class: 'NestJS',
    same: ['{"statusCode":400,"message":["email must be an email"],"error":"Bad Request"}'],
  },
  {
    class: 'NestJS, other',
    same: ['{"statusCode":400,"message":["name must not be empty"],"error":"Bad Request"}'],
  },
  { class: 'GraphQL', same: ['{"errors":[{"message":"Basket not found","path":["basket"]}],"data":null}'] },
  {
    class: 'GraphQL, other',
    same: ['{"errors":[{"message":"Not allowed to pay","path":["pay"]}],"data":null}'],
  },
  {
    class: 'PHP print_r',
    same: [
      'Array\n(\n    [code] => 5\n    [message] => basket was closed twice\n)\n',
      'Array\n(\n    [code] => 8\n    [message] => basket was closed twice\n)\n',
    ],
  },
  {
    class: 'PHP print_r, other',
    same: ['Array\n(\n    [code] => 5\n    [message] => basket was stolen\n)\n'],
  },
  // Values in quotation marks stay values.
  {
    class: 'input of a person',
    same: [
      'invalid input syntax for type integer: "abc def"',
      'invalid input syntax for type integer: "x yz"',
    ],
  },
  {
    class: 'a file',
    same: ['Cannot open the file "my report.pdf"', 'Cannot open the file "other letter.pdf"'],
  },
  { class: 'a name alone', same: ['user: "Jane Doe"', 'user: "Max Müller"'] },
  {
    class: 'a record that says nothing',
    same: ['{"user":"Jane Doe","action":"checkout"}', '{"user":"Max Müller","action":"checkout"}'],
  },
  {
    class: 'a query',
    same: [
      'could not run the query "select a from b where id = 5" in time',
      'could not run the query "select c from d where id = 7" in time',
    ],
  },
];
