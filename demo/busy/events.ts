import { createHash } from 'node:crypto';
import { FAILURES, type Failure } from './failures.ts';
import { BUSY_SERVICES, type BusyRelease, type BusyService, serviceNamed } from './services.ts';
import { stackOf } from './stacks.ts';

/** The events of the busy project, in the seed form. They are the same in each run, but for their times. */

export interface BusyEvent {
  event_type: string;
  event_id: string;
  timestamp: string;
  context?: object;
  payload: object;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
export const USERS = 400;
const LAST_DEPLOYED = 'checkout-api';
/** Events of the last minutes, beside those that are spread over the days. */
const SPIKE = { events: 60, minutes: 4, before: 36, beforeMinutes: 65 } as const;
const AFTER_RESOLVED = 9;
const ESCALATED = 3;

const REGIONS = ['eu-central-1', 'eu-west-1', 'us-east-1', 'ap-northeast-1'];
const CITIES = ['Wien', 'Kraków', '東京', 'القاهرة', 'Київ', 'São Paulo', 'Oslo'];
const BROWSERS = ['Chrome', 'Safari', 'Firefox', 'Edge'];

/** Returns true if it counts as an occurrence. */
export function isFailure({ event_type: type }: BusyEvent): boolean {
  return type !== 'deploy_metadata';
}

/** All but the last deploy of the service whose failure comes back after it. */
export function busyDeploys(now: number): BusyEvent[] {
  return BUSY_SERVICES.flatMap((service) => {
    const known = service.name === LAST_DEPLOYED ? service.releases.slice(0, -1) : service.releases;
    return known.map((release) => deployOf(service, release, now));
  });
}

function deployOf(service: BusyService, { version, hoursAgo }: BusyRelease, now: number): BusyEvent {
  const at = new Date(now - hoursAgo * HOUR_MS).toISOString();
  return {
    ...envelope(service, 'deploy_metadata', `deploy ${version}`, at),
    payload: {
      version,
      commit_sha: commitOf(service, version),
      branch: 'main',
      environment: 'production',
      deployed_at: at,
    },
  };
}

/** Returns the events before the first resolve, oldest first. */
export function busyHistory(now: number): BusyEvent[] {
  return twoWeeks(now, false);
}

/** @param isLast those that are sent after the last deploy, or all others */
function twoWeeks(now: number, isLast: boolean): BusyEvent[] {
  const events = FAILURES.flatMap((failure, place) =>
    [
      ...Array.from({ length: failure.events }, (_, at) =>
        eventOf(failure, place, at, now - hoursAgo(failure, at) * HOUR_MS),
      ),
      ...(failure.story === 'spike' ? spikeTimes(now) : []).map((time, at) =>
        eventOf(failure, place, failure.events + at, time),
      ),
    ].filter((event) => isOfLastRelease(failure, event, now) === isLast),
  );
  return events.sort((one, other) => one.timestamp.localeCompare(other.timestamp));
}

/**
 * Returns true if the last deploy is known before an event, which is of its release then. Resolved failures come
 * earlier.
 */
function isOfLastRelease({ service, story }: Failure, { timestamp }: BusyEvent, now: number): boolean {
  if (service !== LAST_DEPLOYED || story === 'resolved' || story === 'regressed') return false;
  const { hoursAgo: deployedAgo = 0 } = serviceNamed(LAST_DEPLOYED).releases.at(-1) ?? {};
  return Date.parse(timestamp) >= now - deployedAgo * HOUR_MS;
}

/** Returns the events after it: a deploy, then one failure is back, and one became critical. */
export function busyLastHours(now: number): BusyEvent[] {
  const service = serviceNamed(LAST_DEPLOYED);
  const deploys = service.releases.slice(-1).map((release) => deployOf(service, release, now));
  const events = FAILURES.flatMap((failure, place) => {
    const count = { regressed: AFTER_RESOLVED, escalated: ESCALATED }[String(failure.story)] ?? 0;
    return Array.from({ length: count }, (_, at) => ({
      ...eventOf(failure, place, failure.events + at, now - (count - at) * 2 * MINUTE_MS),
      ...(failure.story === 'escalated' ? { context: contextOf(failure, at, 'critical') } : {}),
    }));
  });
  return [...deploys, ...twoWeeks(now, true), ...events];
}

function spikeTimes(now: number): number[] {
  const { events, minutes, before, beforeMinutes } = SPIKE;
  return [
    ...Array.from(
      { length: before },
      (_, at) => now - beforeMinutes * MINUTE_MS + (at * 59 * MINUTE_MS) / before,
    ),
    ...Array.from(
      { length: events },
      (_, at) => now - minutes * MINUTE_MS + (at * minutes * MINUTE_MS) / events,
    ),
  ];
}

/** The first and the last event when the failure says, the others denser towards the end, and fewer in some hours. */
function hoursAgo({ from, to, events }: Failure, at: number): number {
  const share = events === 1 ? 0 : at / (events - 1);
  const wave = 0.04 * Math.sin(share * 37) * (1 - share) * Math.min(1, share * 20);
  return to + (from - to) * Math.min(1, Math.max(0, (1 - share) ** 1.4 + wave));
}

function eventOf(failure: Failure, place: number, at: number, time: number): BusyEvent {
  const service = serviceNamed(failure.service);
  const timestamp = new Date(time).toISOString();
  const message = failure.message.replaceAll('{n}', String(1000 + ((place * 7919 + at * 104_729) % 90_000)));
  const context = contextOf(failure, at, null);
  switch (failure.kind) {
    case 'log':
      return {
        ...envelope(service, 'log_event', `${place}.${at}`, timestamp),
        context,
        payload: { level: 'error', message, logger: failure.function, attributes: { attempt: 1 + (at % 3) } },
      };
    case 'request': {
      const [method = '', route = ''] = failure.message.split(' ');
      return {
        ...envelope(service, 'request_event', `${place}.${at}`, timestamp),
        context,
        payload: {
          method,
          path: route.replace(':id', String(4000 + at)),
          route_template: route,
          response_status: 500,
          duration_ms: 180 + ((at * 37) % 900),
          headers: { 'user-agent': 'ShopApp/8.2 (Android 16)', 'accept-language': 'de-AT,de;q=0.9' },
        },
      };
    }
    default: {
      const isBrowser = service.language === 'browser';
      return {
        ...envelope(
          service,
          isBrowser ? 'frontend_exception' : 'backend_exception',
          `${place}.${at}`,
          timestamp,
        ),
        context,
        payload: {
          error_class: failure.type,
          message,
          ...stackOf(failure, service, message),
          handled: false,
          breadcrumbs: breadcrumbs(time, at),
          ...(isBrowser
            ? {
                route: '/cart',
                browser: { name: BROWSERS[at % BROWSERS.length], version: String(140 + (at % 4)) },
              }
            : {
                request: requestOf(at),
                response: { status_code: 500, duration_ms: 40 + (at % 90) },
                logs: logs(time, at),
              }),
        },
      };
    }
  }
}

function envelope(service: BusyService, type: string, name: string, timestamp: string) {
  const trace = createHash('sha256').update(`${service.name} ${name}`).digest('hex');
  return {
    event_type: type,
    event_id: `busy-${trace.slice(0, 32)}`,
    timestamp,
    service: {
      name: service.name,
      environment: 'production',
      runtime: service.runtime,
      framework: service.framework,
    },
    sdk: { name: service.sdk, version: '1.4.0' },
    correlation: { trace_id: trace.slice(32), request_id: `req_${trace.slice(0, 12)}` },
  };
}

function contextOf(failure: Failure, at: number, severity: 'critical' | null): object {
  const user = (at * (failure.story === 'main' ? 1 : 17) + failure.function.length) % USERS;
  return {
    user: { id: `customer-${user}`, email: `customer-${user}@shop.example` },
    tags: {
      region: REGIONS[(at * 7) % REGIONS.length],
      city: CITIES[at % CITIES.length],
      plan: at % 5 === 0 ? 'business' : 'private',
      'feature.one_page_checkout': at % 3 !== 0,
    },
    ...(severity === null ? {} : { severity }),
  };
}

function requestOf(at: number): object {
  return {
    method: 'POST',
    path: '/api/checkout?step=shipping',
    route_template: '/api/checkout',
    headers: {
      'content-type': 'application/json',
      'user-agent':
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 15_6) AppleWebKit/605.1.15 Version/26.1 Safari/605.1.15',
      authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.demo.demo',
    },
    body: {
      cart_id: `cart_${5000 + at}`,
      shipping_method: 'standard',
      guest: { name: 'Zoë Ångström', phone: null, note: 'Bitte bei 田中さん abgeben 🙏' },
      lines: [
        { sku: 'MUG-ÄÖ-350', quantity: 2, price: '12.90' },
        { sku: 'TEE-緑-M', quantity: 1, price: '24.00' },
      ],
      password: 'not-shown',
    },
  };
}

function breadcrumbs(time: number, at: number): object[] {
  const before = (ms: number) => new Date(time - ms).toISOString();
  return [
    {
      breadcrumb_type: 'navigation',
      route: '/cart',
      ts: before(9400),
      data: { from: '/products/mug', to: '/cart' },
    },
    { breadcrumb_type: 'click', route: '/cart', ts: before(4100), data: { selector: 'button.checkout' } },
    {
      breadcrumb_type: 'network_request',
      route: '/cart',
      ts: before(800),
      data: {
        method: 'GET',
        url: 'https://prices.shop.example/v2/quote',
        status_code: 200,
        duration_ms: 60 + (at % 80),
      },
    },
  ];
}

function logs(time: number, at: number): object[] {
  const line = (ms: number, level: string, message: string) => ({
    level,
    message,
    ts: new Date(time - ms).toISOString(),
    logger: 'checkout',
    attributes: { cart: `cart_${5000 + at}` },
  });
  return [
    line(620, 'info', 'Cart was opened'),
    line(310, 'warning', 'Customer has no saved address'),
    line(40, 'info', 'Shipping method is standard'),
  ];
}

function commitOf(service: BusyService, version: string): string {
  return createHash('sha1').update(`${service.name} ${version}`).digest('hex');
}
