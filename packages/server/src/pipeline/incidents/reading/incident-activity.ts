import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import {
  ACTIVITY_WINDOWS,
  type ActivityAnswer,
  type ActivityWindow,
  type getIncidentActivity as endpoint,
} from '@culprit/contract/incidents/incident-activity';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { readClock } from '../../../platform/db/read-clock.ts';
import { parseId, prefixedId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { findRowFacts } from './incidents.queries.ts';
import { type BucketSpan, countByIncident } from './occurrence-counts.queries.ts';

interface Asked {
  /** Bare and distinct, in the order of the request; without those that can name nothing. */
  incidentIds: readonly string[];
  window: ActivityWindow;
}

/** Reads the parameters of a query. */
export function checkActivity({ query }: { query: QueryOf<typeof endpoint> }): Asked {
  const ids = query.incident_ids.split(',').map((id) => parseId(['inc', 'bun'], id));
  return { incidentIds: [...new Set(ids.filter((id) => id !== null))], window: query.window ?? '24h' };
}

/** Trend, users and place of incidents that the member sees (docs/contract/server-additions.md S3). */
export async function readActivity(
  { database }: Runtime,
  { access: { projectIds }, checked: { incidentIds, window } }: ApiRequest<typeof endpoint, Asked>,
): Promise<ActivityAnswer> {
  const span = spanOf(window, await readClock(database));
  const facts = await findRowFacts(database, projectIds, incidentIds);
  const visible = incidentIds.filter((id) => facts.has(id));
  const counts = new Map(visible.map((id) => [id, Array<number>(ACTIVITY_WINDOWS[window].buckets).fill(0)]));
  for (const { incidentId, bucket, occurrences } of await countByIncident(database, visible, span)) {
    const buckets = counts.get(incidentId);
    if (buckets?.[bucket] !== undefined) buckets[bucket] += occurrences;
  }
  return {
    window: {
      from: formatTimestamp(span.fromSeconds * 1000),
      to: formatTimestamp(span.toSeconds * 1000),
      bucket_seconds: span.bucketSeconds,
    },
    activity: visible.map((id) => ({
      incident_id: prefixedId('inc', id),
      counts: counts.get(id) ?? [],
      affected_users: facts.get(id)?.affectedUsers ?? null,
      top_frame: facts.get(id)?.topFrame ?? null,
    })),
  };
}

/** The span of a window; it ends with the bucket of this moment. */
export function spanOf(window: ActivityWindow, nowMs: number): BucketSpan {
  const { buckets, bucketSeconds } = ACTIVITY_WINDOWS[window];
  const toSeconds = (Math.floor(nowMs / 1000 / bucketSeconds) + 1) * bucketSeconds;
  return { fromSeconds: toSeconds - buckets * bucketSeconds, toSeconds, bucketSeconds };
}
