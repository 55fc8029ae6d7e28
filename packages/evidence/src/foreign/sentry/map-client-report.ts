import type { LossReason } from '@culprit/contract/events/loss-reasons';
import { isJsonObject, type JsonObject } from '../../events/envelope/json.ts';
import { eventHead, wireEvent } from './event-head.ts';
import type { SentrySource } from './sentry-source.ts';
import { fallbackName } from './service-facts.ts';
import { countOf, textOf } from './written-values.ts';

const ENTRIES_MAX = 1_000;
const QUANTITY_MAX = 1_000_000_000;

/** Other categories say nothing about errors. */
const COUNTED: ReadonlySet<string> = new Set([
  'error',
  'default',
  'security',
  'log_item',
  'feedback',
  'monitor',
]);

const REASONS: Readonly<Record<string, LossReason>> = {
  sample_rate: 'sampled',
  before_send: 'filtered',
  event_processor: 'filtered',
  ignored: 'filtered',
  queue_overflow: 'overflow',
  cache_overflow: 'overflow',
  buffer_overflow: 'overflow',
  backpressure: 'overflow',
  network_error: 'rejected',
  send_error: 'rejected',
  ratelimit_backoff: 'rejected',
  internal_sdk_error: 'internal',
};

/**
 * Returns a library's report of omitted events as a loss (docs/contract/foreign-protocols.md 6.3); null when there is
 * none.
 */
export function mapClientReport(report: JsonObject, source: SentrySource): JsonObject | null {
  const loss: JsonObject = {};
  let total = 0;
  for (const entry of Array.isArray(report.discarded_events)
    ? report.discarded_events.slice(0, ENTRIES_MAX)
    : []) {
    if (!isJsonObject(entry) || !COUNTED.has(textOf(entry.category, 64) ?? '')) continue;
    const quantity = Math.min(countOf(entry.quantity) ?? 0, QUANTITY_MAX);
    if (quantity === 0) continue;
    const written = textOf(entry.reason, 64) ?? '';
    const reason = Object.hasOwn(REASONS, written) ? (REASONS[written] ?? 'other') : 'other';
    loss[reason] = Math.min(Number(loss[reason] ?? 0) + quantity, QUANTITY_MAX);
    total = Math.min(total + quantity, QUANTITY_MAX);
  }
  if (total === 0) return null;
  const { lastService } = source;
  const event = {
    timestamp: report.timestamp ?? null,
    environment: lastService?.environment ?? 'production',
    tags: { service: lastService?.name ?? fallbackName(source) },
  };
  return wireEvent(
    'error_suppressed',
    { ...eventHead(event, source), eventId: null },
    {
      event,
      source: { ...source, trace: null },
      context: { capture_loss: loss },
      // It counts what a library lost of any kind, and no repeats of an event.
      payload: { suppressed_count: total, reason: 'queue_pressure' },
    },
  );
}
