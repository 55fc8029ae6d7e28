import type { DebugBundle } from '@culprit/contract/incidents/bundle';

type Lane = 'browser' | 'server';
export type EntryKind =
  | 'route'
  | 'click'
  | 'form'
  | 'console'
  | 'request'
  | 'exception'
  | 'log'
  | 'probe'
  | 'deploy'
  | 'error';

/** Something that happened around the failure. */
export interface TimelineEntry {
  key: string;
  lane: Lane;
  kind: EntryKind;
  /** Milliseconds from the failure, negative before it; null when the time is unknown. */
  offsetMs: number | null;
  level: string | null;
  text: string;
  isFailure: boolean;
  /** Everything the entry carries. */
  data: unknown;
}

/** A trail that is farther away belongs to another event of the incident. */
const TRAIL_MS_MAX = 3_600_000;

/**
 * Returns the entries of the bundle around the failure, on one axis: by time, at equal times the browser first, without
 * a time at the end (docs/contract/dashboard.md 4.7).
 */
export function timelineOf(bundle: DebugBundle): TimelineEntry[] {
  const zeroMs = Date.parse(bundle.captured_at);
  const entries: TimelineEntry[] = [];
  const add = (
    lane: Lane,
    kind: EntryKind,
    at: string | null,
    text: string,
    more: Partial<TimelineEntry> = {},
  ) => {
    const timeMs = at === null ? Number.NaN : Date.parse(at);
    if (Math.abs(timeMs - zeroMs) > TRAIL_MS_MAX) return;
    entries.push({
      key: `${kind}-${entries.length}`,
      lane,
      kind,
      offsetMs: Number.isNaN(timeMs) ? null : timeMs - zeroMs,
      level: null,
      text,
      isFailure: false,
      data: null,
      ...more,
    });
  };
  const { frontend, logs, probe_data: probes, deploy, error } = bundle.context;
  for (const each of frontend?.route_changes ?? [])
    add('browser', 'route', each.ts, `${each.from} → ${each.to ?? '?'}`, { data: each });
  for (const each of frontend?.clicks ?? [])
    add('browser', 'click', each.ts, `clicked ${each.label ?? each.selector ?? '?'}`, { data: each });
  for (const each of frontend?.form_submissions ?? [])
    add('browser', 'form', each.ts, `sent ${each.form ?? 'a form'}`, { data: each });
  for (const each of frontend?.console_logs ?? [])
    add('browser', 'console', each.ts, each.message, { level: each.level, data: each });
  for (const each of frontend?.network_requests ?? [])
    add(
      'browser',
      'request',
      each.ts,
      `${each.method ?? 'GET'} ${each.url ?? '?'} ${each.status ?? 'no answer'}`,
      {
        level: each.status === null || each.status >= 400 || each.status === 0 ? 'error' : null,
        data: each,
      },
    );
  for (const each of frontend?.exceptions ?? [])
    add('browser', 'exception', each.ts, `${each.name}: ${each.message}`, { level: 'error', data: each });
  for (const each of logs?.items ?? [])
    add('server', 'log', each.timestamp, each.message, { level: each.level, data: each.attributes });
  for (const each of probes?.items ?? [])
    add('server', 'probe', each.timestamp, each.label, { data: each.data });
  const startMs = Math.min(...entries.flatMap(({ offsetMs }) => (offsetMs === null ? [] : [offsetMs])));
  // One that lies before everything else would leave no room for the rest; "What is known" names it.
  if (deploy !== null && Date.parse(deploy.deployed_at) - zeroMs >= startMs)
    add(
      'server',
      'deploy',
      deploy.deployed_at,
      `deployed ${deploy.deploy_version ?? deploy.commit_sha ?? ''}`,
      { data: deploy },
    );
  const isBrowser = bundle.signal.signal_type === 'frontend_exception';
  if (error !== null) {
    const text = `${error.name}: ${error.message}`;
    add(isBrowser ? 'browser' : 'server', 'error', bundle.captured_at, text, {
      level: 'error',
      isFailure: true,
    });
  } else {
    add(isBrowser ? 'browser' : 'server', 'error', bundle.captured_at, bundle.summary.title, {
      level: 'error',
      isFailure: true,
    });
  }
  return sortEntries(withoutRepeats(entries, error));
}

/** Returns the offsets of other events of the incident on the axis, within the bounds of what is shown. */
export function otherEvents(bundle: DebugBundle, entries: readonly TimelineEntry[]): number[] {
  const zeroMs = Date.parse(bundle.captured_at);
  const dated = entries.map(({ offsetMs }) => offsetMs).filter((offset) => offset !== null);
  const [from, to] = [Math.min(...dated), Math.max(...dated)];
  return (bundle.context.occurrences?.items ?? [])
    .map(({ occurred_at: at }) => Date.parse(at) - zeroMs)
    .filter((offset) => offset !== 0 && offset >= from && offset <= to);
}

/** By time; at equal times the browser first, and the failure after what led to it. */
export function sortEntries(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const rank = ({ lane, isFailure }: TimelineEntry) => (lane === 'browser' ? 0 : 1) + (isFailure ? 2 : 0);
  return entries
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => {
      const x = a.entry.offsetMs ?? Number.POSITIVE_INFINITY;
      const y = b.entry.offsetMs ?? Number.POSITIVE_INFINITY;
      if (x !== y) return x < y ? -1 : 1;
      return rank(a.entry) - rank(b.entry) || a.index - b.index;
    })
    .map(({ entry }) => entry);
}

/** The failure of a browser is also among the exceptions of that browser's trail. */
function withoutRepeats(
  entries: readonly TimelineEntry[],
  error: DebugBundle['context']['error'],
): TimelineEntry[] {
  if (error === null) return [...entries];
  const text = `${error.name}: ${error.message}`;
  return entries.filter((entry) => entry.kind !== 'exception' || entry.offsetMs !== 0 || entry.text !== text);
}

/** Returns the time before or after the failure in words. */
export function offsetWords(offsetMs: number | null): string {
  if (offsetMs === null) return '–';
  if (offsetMs === 0) return '0';
  const sign = offsetMs < 0 ? '−' : '+';
  const size = Math.abs(offsetMs);
  if (size < 1000) return `${sign}${Math.round(size)} ms`;
  if (size < 120_000) return `${sign}${(size / 1000).toFixed(1)} s`;
  if (size < 2 * 3_600_000) return `${sign}${Math.round(size / 60_000)} min`;
  if (size < 48 * 3_600_000) return `${sign}${Math.round(size / 3_600_000)} h`;
  return `${sign}${Math.round(size / 86_400_000)} d`;
}
