import type { Queryable } from '../platform/db/database.ts';
import { WAKE_CHANNEL } from '../platform/jobs/wake-listener.ts';
import {
  BUILD_BUNDLE,
  BUNDLES_LANE,
  type BundleTrigger,
  BYPASS_TRIGGERS,
  REFRESHES_LANE,
} from './bundles.jobs.ts';

export interface BundleRequest {
  incidentId: string;
  trigger: BundleTrigger;
}

/** Least time between two generations of an incident `i`, by its count (incidents.md 3.9). */
const REFRESH_INTERVAL = `case
  when i.occurrence_count < 10 then interval '2 s'
  when i.occurrence_count < 100 then interval '15 s'
  when i.occurrence_count < 1000 then interval '60 s'
  else interval '300 s' end`;

/** Least wait of every refresh, so that the events of one moment share it. */
const DEBOUNCE = '1 s';

/**
 * Queues bundle work for incidents inside the caller's transaction. One job per incident: a queued one absorbs later
 * triggers and only ever moves forward in time. Creation and regression start at once, other bypass triggers after a
 * second, the rest after the interval for the incident's count (incidents.md 3.9).
 * @param intervalFactor 4 while the worker is overloaded, else 1
 */
export async function requestBundles(
  transaction: Queryable,
  projectId: string,
  requests: readonly BundleRequest[],
  intervalFactor: number,
): Promise<void> {
  if (requests.length === 0) return;
  const triggers = new Map<string, Set<BundleTrigger>>();
  for (const { incidentId, trigger } of requests) {
    const known = triggers.get(incidentId);
    if (known === undefined) triggers.set(incidentId, new Set([trigger]));
    else known.add(trigger);
  }
  await transaction.query(REQUEST, [
    projectId,
    JSON.stringify(
      [...triggers].map(([incidentId, set]) => ({
        incident_id: incidentId,
        is_at_once: set.has('created') || set.has('regressed'),
        is_bypass: BYPASS_TRIGGERS.some((trigger) => set.has(trigger)),
        triggers: Object.fromEntries([...set].map((trigger) => [trigger, 0])),
      })),
    ),
    intervalFactor,
    [...BYPASS_TRIGGERS],
  ]);
}

// The payload maps each trigger to the revision that brought it, so that a finished generation can drop just the
// triggers it has seen (see `finishJobs`). A generation under way may have missed what asks now: the next one counts
// its interval from here, or a hot incident would be built again and again. A document that could not be made is
// tried again, and pending meanwhile. A waiting job that knows the trigger and is due as early is only locked: most
// requests of a busy incident are such, and a new version of its row for each would be the costliest part of them.
const REQUEST = {
  name: 'bundles-request',
  text: `
    with asked as (
      select * from json_to_recordset($2::json) as a (incident_id uuid, is_at_once boolean, is_bypass boolean,
        triggers jsonb)
    ), rows as (
      insert into bundles (incident_id, project_id, status) select incident_id, $1, 'pending' from asked
      where not exists (select from bundles b where b.incident_id = asked.incident_id)
      order by incident_id
      on conflict (incident_id) do nothing
    ), tried_again as (
      update bundles b set status = 'pending', failure_reason = null from asked
      where b.incident_id = asked.incident_id and b.status = 'failed'
        and b.failure_reason in ('generation_error', 'evidence_expired')
    ), due as (
      select a.incident_id, a.triggers, coalesce(b.generation, 0) = 0 as is_first, culprit_now() + pause.pause as later,
        case
          when a.is_at_once then culprit_now()
          when a.is_bypass or b.generated_at is null then culprit_now() + interval '${DEBOUNCE}'
          else greatest(culprit_now() + interval '${DEBOUNCE}', b.generated_at + pause.pause)
        end as run_at
      from asked a
      join incidents i on i.incident_id = a.incident_id
      left join bundles b on b.incident_id = a.incident_id
      cross join lateral (
        select $3 * ${REFRESH_INTERVAL} as pause
      ) pause
    ), queued as (
      insert into jobs as j (lane, kind, project_id, key, payload, run_at)
      select case when is_first then '${BUNDLES_LANE}' else '${REFRESHES_LANE}' end, '${BUILD_BUNDLE}', $1,
        incident_id::text, triggers, run_at
      from due order by incident_id
      on conflict (kind, key) where key is not null do update set
        revision = j.revision + 1,
        run_at = case
          when j.failures > 0 then j.run_at
          when j.leased_until is null or j.leased_until < culprit_now() then least(j.run_at, excluded.run_at)
          when (j.payload || excluded.payload) ?| $4::text[]
            then least(excluded.run_at, culprit_now() + interval '${DEBOUNCE}')
          else (select later from due where due.incident_id::text = j.key) end,
        payload = j.payload || (select jsonb_object_agg(name, j.revision + 1)
          from jsonb_object_keys(excluded.payload) as name)
      where j.leased_until is not null or j.run_at > excluded.run_at
        or not j.payload ?& array(select jsonb_object_keys(excluded.payload))
      returning lane, run_at
    )
    select pg_notify('${WAKE_CHANNEL}', lane) from queued where run_at <= culprit_now() group by lane`,
};

/**
 * How long a refresh without a bypass trigger must still wait, in milliseconds; 0 when it is due. Asked again when the
 * work begins: whoever queued it may not have seen the generation that was stored meanwhile.
 */
export async function refreshWaitMs(database: Queryable, incidentId: string): Promise<number> {
  const [row] = await database.query<{ wait_ms: number }>(
    {
      name: 'bundle-refresh-wait',
      text: `select greatest(0, extract(epoch from b.generated_at + ${REFRESH_INTERVAL} - culprit_now()) * 1000)::float8
          as wait_ms
        from bundles b join incidents i using (incident_id)
        where b.incident_id = $1 and b.generation > 0`,
    },
    [incidentId],
  );
  return row?.wait_ms ?? 0;
}
