import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { LogItem } from '@culprit/contract/incidents/bundle-context';
import { SHOWN_HEADERS } from '@culprit/evidence/bundles/sharing/redact-shared-text';
import type { EvidenceText } from './evidence-text.ts';
import type { Evidence, Item } from './item.ts';

const GRAVE = new Set(['warning', 'warn', 'error', 'critical', 'fatal']);

/** Returns the request line with its status, query, bodies and the few headers that are useful. */
export function requestItems({ bundle: { context } }: Evidence, text: EvidenceText): Item[] {
  const { request, response } = context;
  const items: Item[] = [];
  const duration = response?.duration_ms ?? null;
  const status =
    response === null
      ? ''
      : ` → ${response.status_code ?? 'no status'}${duration === null ? '' : ` after ${duration} ms`}`;
  if (request === null && response === null) return [];
  const template = request?.route_template ?? null;
  const route = template === null || template === request?.path ? '' : ` (route ${text.line(template)})`;
  items.push([`${text.line(request?.method ?? '?')} ${text.line(request?.path ?? '?')}${route}${status}`]);
  const query = request?.query ?? {};
  if (Object.keys(query).length > 0) items.push([`query ${text.pairs(query)}`]);
  if (isThere(request?.body)) items.push([`body ${text.line(request.body, 'middle')}`]);
  if (isThere(response?.body)) items.push([`answer ${text.line(response.body, 'middle')}`]);
  for (const [whose, headers] of [
    ['request', request?.headers ?? {}],
    ['answer', response?.headers ?? {}],
  ] as const) {
    const shown = Object.entries(headers).filter(([name]) => SHOWN_HEADERS.has(name.toLowerCase()));
    text.redaction.leftOut('header', Object.keys(headers).length - shown.length);
    if (shown.length > 0) items.push([`${whose} ${text.pairs(Object.fromEntries(shown))}`]);
  }
  return items;
}

function isThere(value: unknown): value is string | number | boolean | object {
  return value !== null && value !== undefined && value !== '';
}

/** Entries that are graver and nearer to the failure are chosen first. */
export function logItems({ bundle }: Evidence, text: EvidenceText): Item[] {
  const failedAt = Date.parse(bundle.captured_at);
  const items = bundle.context.logs?.items ?? [];
  const rank = (item: LogItem) => [
    GRAVE.has(item.level.toLowerCase()) ? 0 : 1,
    Math.abs(failedAt - Date.parse(item.timestamp)),
  ];
  return items
    .toSorted((a, b) => {
      const [[gravityA = 0, distanceA = 0], [gravityB = 0, distanceB = 0]] = [rank(a), rank(b)];
      return gravityA - gravityB || distanceA - distanceB;
    })
    .map(({ timestamp, level, message, attributes }) => {
      const facts = text.pairs(attributes);
      return [`${timestamp} ${level} ${text.line(message)}${facts === '' ? '' : ` · ${facts}`}`];
    });
}

export function probeItems({ bundle: { context } }: Evidence, text: EvidenceText): Item[] {
  return (context.probe_data?.items ?? []).map(({ label, data }) => [
    `${text.line(label)}: ${text.pairs(data)}`,
  ]);
}

/** Returns the actions of the person and the requests of the page, the last step first. */
export function browserItems({ bundle }: Evidence, text: EvidenceText): Item[] {
  const steps = stepsOf(bundle);
  const html = bundle.context.frontend?.dom_context ?? null;
  text.redaction.leftOut('field', html === null ? 0 : 1);
  return steps
    .map((step, index) => ({ ...step, index }))
    .sort((a, b) => (b.at ?? '').localeCompare(a.at ?? '', 'en') || b.index - a.index)
    .map(({ at, what }) => [`${at === null ? '' : `${at} `}${text.line(what)}`]);
}

function stepsOf({ context: { frontend } }: DebugBundle): { at: string | null; what: string }[] {
  if (frontend === null) return [];
  return [
    ...frontend.route_changes.map(({ ts, from, to }) => ({
      at: ts,
      what: `went from ${from} to ${to ?? '?'}`,
    })),
    ...frontend.clicks.map(({ ts, selector, label }) => ({
      at: ts,
      what: `clicked ${selector ?? '?'}${label === null ? '' : ` "${label}"`}`,
    })),
    ...frontend.form_submissions.map(({ ts, form }) => ({ at: ts, what: `sent the form ${form ?? '?'}` })),
    ...frontend.console_logs.map(({ ts, level, message }) => ({
      at: ts,
      what: `console ${level}: ${message}`,
    })),
    ...frontend.network_requests.map(({ ts, method, url, status }) => ({
      at: ts,
      what: `${method ?? 'GET'} ${url ?? '?'} → ${status ?? 'no answer'}`,
    })),
    ...frontend.exceptions.map(({ ts, name, message }) => ({ at: ts, what: `${name}: ${message}` })),
  ];
}

/** Context and further fields that the application sent, a value an item. */
export function customItems({ bundle: { context } }: Evidence, text: EvidenceText): Item[] {
  const { custom } = context;
  return [...text.entries(custom?.context ?? {}), ...text.entries(custom?.extra ?? {})].map(
    ([key, value]) => [`${text.line(key)}: ${text.line(value)}`],
  );
}
