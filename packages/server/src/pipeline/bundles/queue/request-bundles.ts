import { columnLiterals, unnestColumns } from '../../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../../platform/jobs/enqueue.ts';
import {
  BUILD_BUNDLE,
  BUNDLES_LANE,
  type BundleTrigger,
  BYPASS_TRIGGERS,
  COUNTED_TRIGGERS,
  REFRESHES_LANE,
  RENEWING_TRIGGERS,
} from './bundles.jobs.ts';
import { thresholdsUpToSql } from './notable-refresh.ts';

export interface BundleRequest {
  incidentId: string;
  trigger: BundleTrigger;
}

/**
 * The expression for the least time between two generations of an incident `i`, by its count
 * (docs/contract/incidents.md 3.9).
 */
export const REFRESH_INTERVAL = `case
  when i.occurrence_count < 10 then interval '2 s'
  when i.occurrence_count < 100 then interval '15 s'
  when i.occurrence_count < 1000 then interval '60 s'
  else interval '300 s' end`;

/** Least wait of every refresh, so that the events of one moment share it. */
const DEBOUNCE = '1 s';

const NO_OFFERS: ReadonlyMap<string, number> = new Map();

/**
 * Queues bundle work for incidents inside the caller's transaction. One job per incident: a queued one absorbs later
 * triggers and only ever moves forward in time. Creation and regression start immediately, other bypass triggers after
 * a second, the rest after the interval for the incident's count (docs/contract/incidents.md 3.9). An offer that was
 * never made to the bundle is a bypass trigger. Signals that only raise the count queue nothing, unless a webhook wants
 * the update: a reader has such a document built.
 * @param offers bits of the new content that documents may show (`offers.ts`), by incident
 */
export function requestBundles(
  transaction: Transaction,
  projectId: string,
  requests: readonly BundleRequest[],
  offers: ReadonlyMap<string, number> = NO_OFFERS,
): void {
  if (requests.length === 0) return;
  const triggers = new Map<string, Set<BundleTrigger>>();
  for (const { incidentId, trigger } of requests) {
    const known = triggers.get(incidentId);
    if (known === undefined) triggers.set(incidentId, new Set([trigger]));
    else known.add(trigger);
  }
  transaction.send(REQUEST, [
    projectId,
    [...BYPASS_TRIGGERS],
    ...columnLiterals(
      ASKED_COLUMNS,
      [...triggers].map(([incidentId, set]) => ({
        incident_id: incidentId,
        offers: offers.get(incidentId) ?? 0,
        is_at_once: set.has('created') || set.has('regressed') || set.has('read'),
        is_counted: [...set].every((trigger) => COUNTED_TRIGGERS.includes(trigger)),
        is_read: set.has('read'),
        is_renewing: RENEWING_TRIGGERS.some((trigger) => set.has(trigger)),
        is_bypass: BYPASS_TRIGGERS.some((trigger) => set.has(trigger)),
        is_signal: set.has('signal'),
        triggers: JSON.stringify(Object.fromEntries([...set].map((trigger) => [trigger, 0]))),
      })),
    ),
  ]);
}

const ASKED_COLUMNS = [
  ['incident_id', 'uuid'],
  ['is_at_once', 'boolean'],
  ['is_bypass', 'boolean'],
  ['is_counted', 'boolean'],
  ['is_read', 'boolean'],
  ['is_renewing', 'boolean'],
  ['is_signal', 'boolean'],
  ['offers', 'integer'],
  ['triggers', 'jsonb'],
] as const;

const IS_TRIED_AGAIN = `(b.status = 'failed'
  and (b.failure_reason in ('generation_error', 'evidence_expired', 'bundle_rotated')
    or b.failure_reason = 'monthly_quota_exceeded' and asked.is_read))`;

/** A refresh of `a` waits for a reader: its document `b` exists, and the refresh has no news for it and none for receivers. */
const WAITS_FOR_READER = `(a.is_counted and b.object_key is not null and a.offers & ~b.offers = 0 and not (a.is_signal
  and ${thresholdsUpToSql('b.occurrence_count')} < ${thresholdsUpToSql('i.occurrence_count')}
  and exists (select from webhooks w where w.project_id = $1 and w.is_enabled and 'bundle.updated' = any (w.events))))`;

// The payload maps each trigger to the revision that added it, so that a finished generation can drop just the triggers
// it has seen (see `finishJobs`). A generation under way may have missed the new request: the next one counts its
// interval from here, or a hot incident would be built again and again. A document that could not be built is tried
// again, and is pending until then; one that the plan withholds (used up, rotated) only by a trigger that renews it,
// and if the meter is used up it is pending only for a read, which has seen that there is an allowance again. A waiting
// job that has the trigger and is due as early is only locked: most requests of a busy incident are such, and a new
// version of its row for each would be the costliest part of them. An offer counts one time: its content is seen by the
// generation that it moves forward, or was no news.
const REQUEST = sql('bundles-request')`
    with asked as (
      select a.* from ${unnestColumns(ASKED_COLUMNS, 3, 'a')}
      where not exists (
        select from bundles b join incidents i using (incident_id) where b.incident_id = a.incident_id and (
          ${WAITS_FOR_READER}
          or not a.is_renewing and b.status = 'failed'
            and b.failure_reason in ('monthly_quota_exceeded', 'bundle_rotated')))
    ), rows as (
      insert into bundles (incident_id, project_id, status) select incident_id, $1, 'pending' from asked
      where not exists (select from bundles b where b.incident_id = asked.incident_id)
        and exists (select from incidents i where i.incident_id = asked.incident_id)
      order by incident_id
      on conflict (incident_id) do nothing
    ), changed as (
      update bundles b set
        status = case when ${IS_TRIED_AGAIN} then 'pending' else b.status end,
        failure_reason = case when ${IS_TRIED_AGAIN} then null else b.failure_reason end,
        offers = b.offers | asked.offers
      from asked where b.incident_id = asked.incident_id and (${IS_TRIED_AGAIN} or asked.offers & ~b.offers <> 0)
    ), due as (
      select a.incident_id, case when is_news then a.triggers || '{"offer": 0}' else a.triggers end as triggers,
        b.object_key is null as is_first, a.is_read, culprit_now() + pause.pause as later,
        case
          when a.is_at_once then culprit_now()
          when a.is_bypass or is_news or b.object_key is null then culprit_now() + interval '${DEBOUNCE}'
          else greatest(culprit_now() + interval '${DEBOUNCE}', b.generated_at + pause.pause)
        end as run_at
      from asked a
      join incidents i on i.incident_id = a.incident_id
      left join bundles b on b.incident_id = a.incident_id
      cross join lateral (
        select ${REFRESH_INTERVAL} as pause
      ) pause
      cross join lateral (
        select a.offers & ~coalesce(b.offers, -1) <> 0 as is_news
      ) news
    ), queued as (${enqueue({
      job: {
        oneOf: [
          { lane: BUNDLES_LANE, kind: BUILD_BUNDLE },
          { lane: REFRESHES_LANE, kind: BUILD_BUNDLE },
        ],
        lane: `case when is_first or is_read then '${BUNDLES_LANE}' else '${REFRESHES_LANE}' end`,
        kind: `'${BUILD_BUNDLE}'`,
      },
      fairnessKey: '$1::uuid',
      key: 'incident_id::text',
      payload: 'triggers',
      runAt: 'due.run_at',
      from: 'from due order by incident_id',
      whenQueued: {
        update: `set revision = j.revision + 1,
        lane = case when excluded.payload ? 'read' then excluded.lane else j.lane end,
        run_at = case
          when j.failures > 0 then j.run_at
          when j.leased_until is null or j.leased_until < culprit_now() then least(j.run_at, excluded.run_at)
          when (j.payload || excluded.payload) ?| $2::text[]
            then least(excluded.run_at, culprit_now() + interval '${DEBOUNCE}')
          else (select later from due where due.incident_id::text = j.key) end,
        payload = j.payload || (select jsonb_object_agg(name, j.revision + 1)
          from jsonb_object_keys(excluded.payload) as name)
      where j.leased_until is not null or j.run_at > excluded.run_at
        or not j.payload ?& array(select jsonb_object_keys(excluded.payload))`,
      },
    })})
    ${WAKE_QUEUED}`;

/**
 * Returns how long refreshes without a bypass trigger must still wait, in milliseconds by incident; those that are due
 * are missing. Called again when the work starts: the request may have been queued before the latest generation was
 * stored.
 */
export async function refreshWaitsMs(
  database: Queryable,
  incidentIds: readonly string[],
): Promise<Map<string, number>> {
  if (incidentIds.length === 0) return new Map();
  const rows = await database.query<{ incident_id: string; wait_ms: number }>(
    sql('bundle-refresh-wait')`select b.incident_id,
          (extract(epoch from b.generated_at + ${REFRESH_INTERVAL} - culprit_now()) * 1000)::float8 as wait_ms
        from bundles b join incidents i using (incident_id)
        where b.incident_id = any ($1::uuid[]) and b.object_key is not null`,
    [incidentIds],
  );
  return new Map(rows.flatMap((row) => (row.wait_ms > 0 ? [[row.incident_id, row.wait_ms]] : [])));
}
