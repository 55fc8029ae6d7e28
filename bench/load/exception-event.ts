/** Realistic exception events in the wire form of the client libraries, in the two sizes of the benchmark. */

export type EventSize = 1500 | 25_000;

/**
 * The placeholders of fixed length for values that differ from one occurrence to the next; the sender writes over them.
 * Each is found by its own letters, which occur nowhere else.
 */
export const PLACEHOLDERS = {
  eventId: 'QQQQQQQQ-QQQQ-4QQQ-8QQQ-QQQQQQQQQQQQ',
  requestId: 'req_QQQQQQQQQQQQQQQQQQQQQQ',
  traceId: 'ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ',
  userHash: 'YYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYY',
  time: 'XXXX-XX-XXTXX:XX:XX.XXXZ',
  number: 'NNNNNNNN',
} as const;

const AREAS = [
  'checkout',
  'cart',
  'catalog',
  'billing',
  'search',
  'account',
  'shipping',
  'session',
  'report',
];
const VERBS = [
  'load',
  'render',
  'submit',
  'apply',
  'resolve',
  'update',
  'merge',
  'price',
  'validate',
  'sync',
];
const NOUNS = [
  'Order',
  'Item',
  'Price',
  'Voucher',
  'Profile',
  'Address',
  'Invoice',
  'Stock',
  'Session',
  'Filter',
];
const ERRORS = [
  'TypeError',
  'RangeError',
  'ValidationError',
  'TimeoutError',
  'ConflictError',
  'NotFoundError',
];
const LIBRARY_FRAMES = [
  'Layer.handle [as handle_request] (/srv/app/node_modules/express/lib/router/layer.js:95:5)',
  'next (/srv/app/node_modules/express/lib/router/route.js:144:13)',
  'Route.dispatch (/srv/app/node_modules/express/lib/router/route.js:114:3)',
  '/srv/app/node_modules/express/lib/router/index.js:284:15',
  'Function.process_params (/srv/app/node_modules/express/lib/router/index.js:346:12)',
  'process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
];

/**
 * The text of one event. Events of one `kind` are one incident, events of two kinds are two. Every second kind names a
 * changing number in its message, as half of all real ones do.
 * @param kind number of the error, from 0
 * @param tags how many the client sets
 */
export function exceptionEvent(kind: number, size: EventSize, tags = 0): string {
  const isLarge = size === 25_000;
  const area = pick(AREAS, kind);
  const name = pick(ERRORS, kind);
  const subject = `${pick(VERBS, Math.floor(kind / 7))}${pick(NOUNS, Math.floor(kind / 3))}`;
  const message =
    kind % 2 === 0
      ? `Order ${PLACEHOLDERS.number} could not be handled by ${subject}`
      : `Cannot read properties of undefined (reading '${subject}')`;
  const route = `/${area}/${subject.toLowerCase()}/:id`;
  const event = {
    schema_version: '2026-03-01',
    event_id: PLACEHOLDERS.eventId,
    event_type: 'backend_exception',
    sdk_name: '@debugbundle/sdk-node',
    sdk_version: '1.6.0',
    service: {
      name: `${pick(AREAS, kind % 4)}-api`,
      environment: 'production',
      runtime: 'node',
      framework: 'express',
    },
    occurred_at: PLACEHOLDERS.time,
    correlation: {
      request_id: PLACEHOLDERS.requestId,
      trace_id: PLACEHOLDERS.traceId,
      session_id: null,
      user_id_hash: PLACEHOLDERS.userHash,
    },
    context: isLarge
      ? largeContext(kind)
      : { region: 'eu-west-1', ...(tags > 0 ? { tags: ownTags(kind, tags) } : {}) },
    payload: {
      name,
      message,
      stack: stackText(name, message, subject, area, kind, isLarge ? 40 : 5),
      handled: false,
      request: {
        method: 'POST',
        path: `/${area}/${subject.toLowerCase()}/${PLACEHOLDERS.number}`,
        route_template: route,
        query: {},
        headers: isLarge ? largeHeaders() : { host: 'shop.example', authorization: '[REDACTED]' },
        body: isLarge ? largeBody(kind) : null,
      },
      response: { status_code: 500, headers: {}, body: null },
      runtime: { version: '24.11.0', platform: 'linux', pid: 4711 },
      ...(isLarge ? { causes: causes(kind) } : {}),
    },
  };
  return padded(event, size);
}

/** Each with a few values, of which an incident has one or two. */
function ownTags(kind: number, count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `${pick(NOUNS, n).toLowerCase()}-${n}`,
      `value-${(kind + n) % 7}`,
    ]),
  );
}

function stackText(
  name: string,
  message: string,
  subject: string,
  area: string,
  kind: number,
  frames: number,
): string {
  const lines = [`${name}: ${message}`];
  for (let depth = 0; depth < frames; depth += 1) {
    const own = `${subject}${depth === 0 ? '' : depth} (/srv/app/src/${area}/${subject.toLowerCase()}-${kind}.js:${40 + depth}:${7 + depth})`;
    lines.push(`    at ${depth < 3 ? own : pick(LIBRARY_FRAMES, depth - 3)}`);
  }
  return lines.join('\n');
}

function causes(kind: number): object[] {
  return [1, 2].map((level) => {
    const subject = `${pick(VERBS, kind + level)}${pick(NOUNS, kind)}`;
    const message = `connection to replica ${level} was lost`;
    return {
      name: 'DatabaseError',
      message,
      stack: stackText('DatabaseError', message, subject, 'store', kind, 30),
    };
  });
}

function largeHeaders(): Record<string, string> {
  const headers: Record<string, string> = {
    host: 'shop.example',
    'user-agent':
      'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'accept-language': 'en-GB,en;q=0.9,de;q=0.7',
    authorization: '[REDACTED]',
    cookie: '[REDACTED]',
    'content-type': 'application/json',
  };
  for (let index = 0; index < 12; index += 1)
    headers[`x-gateway-${index}`] = `zone-${index}; hop=${index * 7}`;
  return headers;
}

function largeBody(kind: number): object {
  const items = Array.from({ length: 40 }, (_, index) => ({
    sku: `SKU-${(kind * 31 + index * 17) % 100_000}`,
    title: `${pick(NOUNS, kind + index)} for ${pick(AREAS, index)}`,
    quantity: (index % 5) + 1,
    price: ((kind + index * 13) % 9000) / 100,
  }));
  return { order: PLACEHOLDERS.number, currency: 'EUR', items };
}

function largeContext(kind: number): object {
  const flags = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [
      `feature_${pick(AREAS, index)}_${index}`,
      (kind + index) % 3 === 0,
    ]),
  );
  return { region: 'eu-west-1', tenant: `tenant-${kind % 97}`, flags };
}

/** Brings an event to its size with lines of an ordinary log, which compress as such lines do. */
function padded(event: { context: object }, size: EventSize): string {
  const bare = JSON.stringify(event).length + ',"log_tail":""'.length;
  let tail = '';
  for (let line = 0; bare + tail.length < size; line += 1) {
    const verb = pick(VERBS, line * 5);
    tail += `${verb} ${pick(NOUNS, line * 3)} took ${(line * 37) % 900} ms in ${pick(AREAS, line)} worker ${line % 16}; `;
  }
  tail = tail.slice(0, Math.max(0, size - bare));
  return JSON.stringify({ ...event, context: { ...event.context, log_tail: tail } });
}

function pick(words: readonly string[], index: number): string {
  return words[index % words.length] ?? '';
}
