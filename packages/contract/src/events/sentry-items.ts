/**
 * The result for the items of a Sentry envelope, by their `type` (docs/contract/foreign-protocols.md 4). One list for
 * the event intake, the dashboard and the page about switching.
 */
interface SentryItem {
  /** The content, in words for a reader who has never seen one. */
  content: string;
  /** True if it becomes events. */
  isTaken: boolean;
  /** Only of this `content_type`; another form of the item is not taken. */
  contentType?: string;
}

export const SENTRY_ITEMS = {
  event: { content: 'error or message', isTaken: true },
  transaction: { content: 'request', isTaken: true },
  span: {
    content: 'spans',
    isTaken: true,
    contentType: 'application/vnd.sentry.items.span.v2+json',
  },
  log: { content: 'log lines', isTaken: true, contentType: 'application/vnd.sentry.items.log+json' },
  client_report: { content: 'counts of dropped events', isTaken: true },
  feedback: { content: 'feedback of a user', isTaken: true },
  user_report: { content: 'feedback of a user', isTaken: true },
  check_in: { content: 'run of a scheduled job', isTaken: true },
  session: { content: 'session', isTaken: false },
  sessions: { content: 'sessions', isTaken: false },
  attachment: { content: 'file attached to an event', isTaken: false },
  profile: { content: 'profile', isTaken: false },
  profile_chunk: { content: 'profile', isTaken: false },
  replay_event: { content: 'replay', isTaken: false },
  replay_recording: { content: 'replay', isTaken: false },
  replay_video: { content: 'replay', isTaken: false },
  trace_metric: { content: 'metric', isTaken: false },
  statsd: { content: 'metrics', isTaken: false },
  metric_buckets: { content: 'metrics', isTaken: false },
  metric_meta: { content: 'metrics', isTaken: false },
  otel_span: { content: 'span in an older format', isTaken: false },
  otel_log: { content: 'log line in an older format', isTaken: false },
  raw_security: { content: 'forwarded browser report', isTaken: true },
  security: { content: 'forwarded browser report', isTaken: true },
  form_data: { content: 'crash dump form', isTaken: false },
  unreal_report: { content: 'Unreal Engine crash dump', isTaken: false },
  nel: { content: 'network error log', isTaken: false },
} as const satisfies Readonly<Record<string, SentryItem>>;

type SentryItemType = keyof typeof SENTRY_ITEMS;

/** Returns the kind under which an item is counted; senders may write any word. */
export function sentryItemKind(type: string): SentryItemType | 'unknown' {
  return Object.hasOwn(SENTRY_ITEMS, type) ? (type as SentryItemType) : 'unknown';
}

/** Returns the row of an item in the table; null for an unknown one. */
function sentryItem(type: string): SentryItem | null {
  const kind = sentryItemKind(type);
  return kind === 'unknown' ? null : SENTRY_ITEMS[kind];
}

/**
 * Returns true if an item becomes events.
 * @param contentType of its header line
 */
export function isTaken(type: string, contentType: string | null): boolean {
  const item = sentryItem(type);
  return item?.isTaken === true && (item.contentType === undefined || item.contentType === contentType);
}
