import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import {
  type EventFates,
  type listEventFates as endpoint,
  FATE_DAYS_MAX,
  FATE_KINDS_MAX,
  FATE_REASONS_MAX,
  FATE_ROWS_MAX,
  FATE_WORDS,
  type FateCounts,
} from '@culprit/contract/events/event-fates';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable } from '../../platform/db/database.ts';
import { readClock } from '../../platform/db/read-clock.ts';
import { invalidSpan, queryTime } from '../../platform/http/binding/invalid-query.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { OTHER_REASONS } from './decide-events.ts';
import { type FateSum, sumFates } from './event-fates.queries.ts';
import { sumKinds } from './foreign/foreign-kinds.queries.ts';
import { sumRejections } from './rejections.queries.ts';

const HOUR_MS = 3_600_000;
const BUCKET_MS = { hour: HOUR_MS, day: 24 * HOUR_MS };

interface FateTimes {
  /** Null: 24 hours before the end. */
  fromMs: number | null;
  /** Null: now. */
  toMs: number | null;
}

/** The times of a query. @throws Problem `invalid_query` */
export function checkFateTimes({ query }: { query: QueryOf<typeof endpoint> }): FateTimes {
  return { fromMs: queryTime('from', query.from), toMs: queryTime('to', query.to) };
}

/** From the beginning of the first bucket to the end of the last. */
async function wholeBuckets(
  database: Queryable,
  times: FateTimes,
  sizeMs: number,
): Promise<{ fromMs: number; toMs: number }> {
  const toMs = times.toMs ?? (await readClock(database));
  const fromMs = times.fromMs ?? toMs - BUCKET_MS.day;
  if (fromMs >= toMs || toMs - fromMs > FATE_DAYS_MAX * BUCKET_MS.day) throw invalidSpan(FATE_DAYS_MAX);
  return { fromMs: Math.floor(fromMs / sizeMs) * sizeMs, toMs: Math.ceil(toMs / sizeMs) * sizeMs };
}

/** Answers the request for the outcomes of a project's events (docs/contract/server-additions.md S11). */
export async function listEventFates(
  { database }: Runtime,
  { access, query, checked }: ApiRequest<typeof endpoint, FateTimes>,
): Promise<EventFates> {
  const { bucket = 'hour' } = query;
  const sizeMs = BUCKET_MS[bucket];
  const { fromMs, toMs } = await wholeBuckets(database, checked, sizeMs);
  const { projectId } = access;
  const [sums, kinds, rejections] = await Promise.all([
    sumFates(database, projectId, { fromMs, toMs, bucket }),
    sumKinds(database, projectId, { fromMs, toMs, rowsMax: FATE_KINDS_MAX }),
    sumRejections(database, projectId, { fromMs, toMs, rowsMax: FATE_REASONS_MAX }),
  ]);
  const totals = countsOf(sums.filter(({ of }) => of === 'bucket'));
  const byTime = groupBy(
    sums.filter(({ of }) => of === 'bucket'),
    ({ at }) => at ?? 0,
  );
  const series = Array.from({ length: (toMs - fromMs) / sizeMs }, (_, n) => {
    const atMs = fromMs + n * sizeMs;
    return { at: formatTimestamp(atMs), ...countsOf(byTime.get(atMs) ?? []) };
  });
  const byToken = groupBy(
    sums.filter(({ of }) => of === 'token'),
    ({ id }) => id ?? '',
  );
  const ofTokens = [...byToken].map(([id, rows]) => ({
    token_id: prefixedId('tok', id),
    label: rows[0]?.label ?? null,
    ...countsOf(rows),
  }));
  const ofRules = sums
    .filter(({ of }) => of === 'rule')
    .map(({ id, label, fate, events }) => ({
      rule_id: id ?? '',
      name: label,
      action: fate === 'dropped' ? ('drop' as const) : ('sample' as const),
      events,
    }));
  return {
    from: formatTimestamp(fromMs),
    to: formatTimestamp(toMs),
    bucket,
    totals,
    series,
    by_token: mostFirst(ofTokens, ({ submitted }) => submitted),
    by_rule: mostFirst(ofRules, ({ events }) => events),
    by_reason: rejections.map(({ token_id: id, label, reason, events, last_at: at }) => ({
      token_id: prefixedId('tok', id),
      label,
      reason: reason === OTHER_REASONS ? null : reason,
      events,
      last_at: formatTimestamp(at),
    })),
    by_kind: kinds.map((sum) => ({ ...sum, last_at: formatTimestamp(sum.last_at) })),
  };
}

/** Returns the counts of outcomes. An accepted event has its outcome once it is processed; until then it waits. */
export function countsOf(sums: readonly Pick<FateSum, 'fate' | 'events'>[]): FateCounts {
  const counts: Record<string, number> = Object.fromEntries(FATE_WORDS.map((word) => [word, 0]));
  for (const { fate, events } of sums) counts[fate] = (counts[fate] ?? 0) + events;
  const decided = sums.reduce((sum, { fate, events }) => (fate === 'submitted' ? sum : sum + events), 0);
  const submitted = Math.max(counts.submitted ?? 0, decided);
  return { ...counts, submitted, waiting: submitted - decided } as FateCounts;
}

function groupBy<Key>(sums: readonly FateSum[], keyOf: (sum: FateSum) => Key): Map<Key, FateSum[]> {
  const groups = new Map<Key, FateSum[]>();
  for (const sum of sums) {
    const group = groups.get(keyOf(sum));
    if (group === undefined) groups.set(keyOf(sum), [sum]);
    else group.push(sum);
  }
  return groups;
}

function mostFirst<Row>(rows: readonly Row[], eventsOf: (row: Row) => number): Row[] {
  return rows.toSorted((a, b) => eventsOf(b) - eventsOf(a)).slice(0, FATE_ROWS_MAX);
}
