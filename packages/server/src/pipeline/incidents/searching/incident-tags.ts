import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import {
  type listIncidentTagValues as endpoint,
  type IncidentTag,
  LIFT_SIGNALS_MIN,
  type listProjectTags as projectEndpoint,
  TOP_VALUES_MAX,
} from '@culprit/contract/incidents/incident-tags';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { EVERY_EVENT_TAG } from '@culprit/evidence/incidents/event-tags';
import { TAGS_EXACT_MAX } from '@culprit/evidence/incidents/tag-sampling';
import { readClock } from '../../../platform/db/read-clock.ts';
import { invalidCursor } from '../../../platform/http/binding/invalid-query.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import { findIncidentRecords } from '../reading/incidents.queries.ts';
import { countByIncident } from '../reading/occurrence-counts.queries.ts';
import { listTagKeys, listTagValues, readIncidentTags, readUsualTags, type TagRow } from './tags.queries.ts';

const WEEK_SECONDS = 7 * 86_400;
const PROJECT_KEYS_MAX = 200;

/** The tags of an incident, and how usual their values are (docs/contract/team-workflow.md 1.3). */
export async function readTags(
  { database }: Runtime,
  access: RecordAccess,
): Promise<{ tags: IncidentTag[] }> {
  const incidentId = access.recordId;
  const [[incident], rows, nowMs] = await Promise.all([
    findIncidentRecords(database, [incidentId]),
    readIncidentTags(database, incidentId),
    readClock(database),
  ]);
  if (incident === undefined) throw new Problem('incident_not_found');
  const byKey = new Map<string, TagRow[]>();
  for (const row of rows) byKey.set(row.key, [...(byKey.get(row.key) ?? []), row]);
  const shown = [...byKey.values()].flatMap((values) => values.slice(0, TOP_VALUES_MAX));
  const hour = Math.ceil(nowMs / 3_600_000) * 3600;
  const [usual, week] = await Promise.all([
    readUsualTags(database, access.projectId, shown),
    countByIncident(database, [incidentId], {
      fromSeconds: hour - WEEK_SECONDS,
      toSeconds: hour,
      bucketSeconds: WEEK_SECONDS,
    }),
  ]);
  const total = sumOf(byKey.get(EVERY_EVENT_TAG) ?? []);
  const ofWeek = week.reduce((sum, { occurrences, suppressed }) => sum + occurrences - suppressed, 0);
  // The part of the incident's own signals that is among those of the last 7 days.
  const own = total === 0 ? 0 : Math.min(1, ofWeek / total);
  const counts = new Map(shown.map((row, n) => [row, usual.counts[n] ?? 0]));
  const isSampled = incident.occurrence_count > TAGS_EXACT_MAX;
  const tags = [...byKey].map(
    ([key, values]): IncidentTag => ({
      key,
      counted: sumOf(values),
      distinct: values.length,
      is_sampled: isSampled,
      top: values.slice(0, TOP_VALUES_MAX).map((row) => {
        const { value, count } = row;
        const share = total === 0 ? 0 : Math.min(1, count / total);
        const usually = counts.get(row) ?? 0;
        const others = usual.total - total * own;
        return {
          value,
          count,
          share,
          lift:
            total < LIFT_SIGNALS_MIN || usual.total < LIFT_SIGNALS_MIN || usually === 0
              ? null
              : share / (usually / usual.total),
          elsewhere:
            others < LIFT_SIGNALS_MIN ? null : Math.min(1, Math.max(0, usually - count * own) / others),
        };
      }),
    }),
  );
  return { tags: tags.toSorted((a, b) => liftOf(b) - liftOf(a) || shareOf(b) - shareOf(a)) };
}

function sumOf(rows: readonly TagRow[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

function liftOf({ top }: IncidentTag): number {
  return Math.max(0, ...top.map(({ lift }) => lift ?? 0));
}

function shareOf({ top }: IncidentTag): number {
  return Math.max(0, ...top.map(({ share }) => share));
}

interface ValuesPage {
  after: { count: number; value: string } | null;
  limit: number;
}

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkTagValues({ query }: { query: QueryOf<typeof endpoint> }): ValuesPage {
  const { cursor, limit = PAGE_SIZE_DEFAULT } = query;
  if (cursor === undefined) return { after: null, limit };
  const [count = '', value] = decodeCursor(cursor, 2) ?? [];
  if (value === undefined || !/^[1-9]\d{0,14}$/.test(count)) throw invalidCursor();
  return { after: { count: Number(count), value }, limit };
}

/** A page of the values of a tag. */
export async function readTagValues(
  { database }: Runtime,
  { access, params: { key }, checked: { after, limit } }: ApiRequest<typeof endpoint, ValuesPage>,
) {
  const { rows, total } = await listTagValues(database, access.recordId, key, { after, limit: limit + 1 });
  const values = rows.slice(0, limit).map(({ value, count, first_seen_at, last_seen_at }) => ({
    value,
    count,
    share: total === 0 ? 0 : Math.min(1, count / total),
    first_seen_at: formatTimestamp(first_seen_at),
    last_seen_at: formatTimestamp(last_seen_at),
  }));
  const last = values.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return { values, next_cursor: isEnd ? null : encodeCursor([String(last.count), last.value]) };
}

/** The tags of a project. */
export async function readProjectTags(
  { database }: Runtime,
  { access, query }: ApiRequest<typeof projectEndpoint>,
) {
  const limits = { keys: PROJECT_KEYS_MAX, values: TOP_VALUES_MAX };
  const keys = await listTagKeys(database, [access.projectId], query.prefix ?? '', limits);
  return { tags: keys.map(({ key, events, values }) => ({ key, events_7d: events, values })) };
}
