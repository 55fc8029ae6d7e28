import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import {
  BUCKET_SECONDS,
  type getIncidentOccurrences,
  type getProjectOccurrences,
  OCCURRENCE_BUCKETS_MAX,
  OCCURRENCE_DAYS_MAX,
  type Occurrences,
} from '@culprit/contract/incidents/occurrences';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { MINUTES_KEPT } from '@culprit/evidence/incidents/spike';
import type { Queryable } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { invalidSpan, queryTime } from '../../../platform/http/binding/invalid-query.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { type BucketSpan, countAll, type Subject } from './occurrence-counts.queries.ts';
import { findMarkers } from './occurrence-markers.queries.ts';

interface Asked {
  fromMs: number | null;
  toMs: number | null;
}

const DAY_MS = 86_400_000;
const SPAN_MS_MAX = OCCURRENCE_DAYS_MAX * DAY_MS;

/** The bounds that a query names. @throws Problem `invalid_query` */
export function checkOccurrences({ query }: { query: QueryOf<typeof getIncidentOccurrences> }): Asked {
  const asked = { fromMs: queryTime('from', query.from), toMs: queryTime('to', query.to) };
  const { fromMs, toMs } = asked;
  if (fromMs !== null && toMs !== null && (fromMs >= toMs || toMs - fromMs > SPAN_MS_MAX)) {
    throw invalidSpan(OCCURRENCE_DAYS_MAX);
  }
  return asked;
}

/** Occurrences of one incident over time (docs/contract/server-additions.md S4). */
export async function readIncidentOccurrences(
  { database }: Runtime,
  { access, checked }: ApiRequest<typeof getIncidentOccurrences, Asked>,
): Promise<Occurrences> {
  return await readOccurrences(database, { kind: 'incident', id: access.recordId }, checked);
}

/** The same over all incidents of a project. */
export async function readProjectOccurrences(
  { database }: Runtime,
  { access, checked }: ApiRequest<typeof getProjectOccurrences, Asked>,
): Promise<Occurrences> {
  return await readOccurrences(database, { kind: 'project', id: access.projectId }, checked);
}

async function readOccurrences(database: Queryable, subject: Subject, asked: Asked): Promise<Occurrences> {
  const span = spanOf(asked, await readClock(database));
  const [found, markers] = [
    await countAll(database, subject, span),
    await findMarkers(database, subject, span),
  ];
  const buckets = (span.toSeconds - span.fromSeconds) / span.bucketSeconds;
  const counts = Array<number>(buckets).fill(0);
  const suppressed = Array<number>(buckets).fill(0);
  for (const each of found) {
    counts[each.bucket] = each.occurrences;
    suppressed[each.bucket] = each.suppressed;
  }
  return {
    from: formatTimestamp(span.fromSeconds * 1000),
    to: formatTimestamp(span.toSeconds * 1000),
    bucket_seconds: span.bucketSeconds,
    counts,
    suppressed,
    markers,
  };
}

/** @throws Problem `invalid_query` when the bounds, with the one that is left out, are no span */
function spanOf(asked: Asked, nowMs: number): BucketSpan {
  const toMs = asked.toMs ?? Math.max(nowMs, (asked.fromMs ?? 0) + 1);
  const fromMs = asked.fromMs ?? toMs - DAY_MS;
  if (toMs - fromMs > SPAN_MS_MAX) throw invalidSpan(OCCURRENCE_DAYS_MAX);
  const [minutes, hour, day] = BUCKET_SECONDS;
  // Only the minutes that spike rules look at are counted.
  const isRecent = fromMs >= nowMs - (MINUTES_KEPT - 5) * 60_000;
  const inHours = wholeBuckets(fromMs, toMs, hour);
  if (isRecent) {
    const inMinutes = wholeBuckets(fromMs, toMs, minutes);
    if (bucketCount(inMinutes) <= OCCURRENCE_BUCKETS_MAX) return inMinutes;
  }
  return bucketCount(inHours) <= OCCURRENCE_BUCKETS_MAX ? inHours : wholeBuckets(fromMs, toMs, day);
}

function wholeBuckets(fromMs: number, toMs: number, bucketSeconds: number): BucketSpan {
  const fromSeconds = Math.floor(fromMs / 1000 / bucketSeconds) * bucketSeconds;
  const toSeconds = Math.ceil(toMs / 1000 / bucketSeconds) * bucketSeconds;
  return { fromSeconds, toSeconds, bucketSeconds };
}

function bucketCount({ fromSeconds, toSeconds, bucketSeconds }: BucketSpan): number {
  return (toSeconds - fromSeconds) / bucketSeconds;
}
