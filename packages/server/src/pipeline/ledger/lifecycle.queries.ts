import type { LifecycleKind } from '@culprit/contract/incidents/lifecycle-kinds';
import {
  ALERTING_KINDS,
  ALERTS_LANE,
  EVALUATE_ALERTS,
  EVALUATE_LATE,
  LATE_SECONDS,
} from '../../notify/alerts/alerts.jobs.ts';
import { PERSONAL_KINDS, TELL_PEOPLE } from '../../notify/personal/personal.jobs.ts';
import { FOLLOW_INCIDENTS, FOLLOWED_KINDS, TICKETS_LANE } from '../../notify/trackers/trackers.jobs.ts';
import { FAN_OUT, NOTIFIABLE_KINDS, WEBHOOKS_LANE } from '../../notify/webhooks/webhooks.jobs.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import { INCIDENTS_NAMED_MAX, LEDGER_CHANNEL } from './ledger-change.ts';

const NOTIFIABLE: readonly LifecycleKind[] = NOTIFIABLE_KINDS;
const ALERTING: readonly LifecycleKind[] = ALERTING_KINDS;
const FOLLOWED: readonly LifecycleKind[] = FOLLOWED_KINDS;
const PERSONAL: readonly LifecycleKind[] = PERSONAL_KINDS;

/** Ledger rows of one job at most: each may become a delivery of every webhook or alert rule. */
const ROWS_PER_JOB = 50;

/** A row is about one incident or one improvement. */
export type LifecycleEvent = { projectId: string; data: object } & (
  | { kind: Exclude<LifecycleKind, 'improvement_bundle.created'>; incidentId: string }
  | { kind: 'improvement_bundle.created'; improvementId: string }
);

/**
 * Writes ledger rows inside the transaction of their transitions, with the jobs that create webhook deliveries, alerts
 * and personal mails from them and update tickets (docs/contract/reliability.md A4). A project without an enabled
 * webhook, an alert rule or a tracker has no such job, nor has an incident that is assigned to none,
 * watched by none and was never snoozed. The commit wakes all readers of the ledger.
 */
export function insertLifecycleEvents(transaction: Transaction, events: readonly LifecycleEvent[]): void {
  if (events.length === 0) return;
  transaction.send(INSERT, [
    JSON.stringify(
      events.map((event, n) => ({
        n,
        project_id: event.projectId,
        incident_id: 'incidentId' in event ? event.incidentId : null,
        improvement_id: 'improvementId' in event ? event.improvementId : null,
        kind: event.kind,
        data: event.data,
      })),
    ),
    [...NOTIFIABLE],
    [...ALERTING],
    [...FOLLOWED],
    [...PERSONAL],
  ]);
}

/**
 * The fix after which an incident came back, unless it only waits for its deployment: one of it, or of an incident that
 * was merged into it.
 */
const FAILED_FIX = `(
  select jsonb_build_object('fix_id', f.fix_id) from incident_fixes f
  where f.incident_id in (select l.incident_id union
      select a.from_incident_id from incident_aliases a where a.incident_id = l.incident_id and a.merged_into is not null)
    and (not f.resolves or f.deployed_at is not null)
  order by greatest(f.created_at, f.deployed_at) desc, f.fix_id desc limit 1)`;

const INSERT = sql('lifecycle-insert')`
        with written as (
          insert into lifecycle_events (project_id, incident_id, improvement_id, kind, data)
          select project_id, incident_id, improvement_id, kind,
            case kind when 'incident.regressed' then data || coalesce(${FAILED_FIX}, '{}') else data end
          from json_to_recordset($1::json) as l (n integer, project_id uuid, incident_id uuid, improvement_id uuid,
            kind text, data jsonb)
          order by n
          returning lifecycle_id, project_id, incident_id, kind
        ), queued as (${enqueue({
          job: {
            oneOf: [
              { lane: WEBHOOKS_LANE, kind: FAN_OUT },
              { lane: ALERTS_LANE, kind: EVALUATE_ALERTS },
              { lane: ALERTS_LANE, kind: EVALUATE_LATE },
              { lane: TICKETS_LANE, kind: FOLLOW_INCIDENTS },
              TELL_PEOPLE,
            ],
            lane: 'notifiable.lane',
            kind: 'job_kind',
          },
          fairnessKey: 'notifiable.project_id',
          // Tags are counted some seconds after the incident was opened.
          runAt: `culprit_now() + case when job_kind = '${EVALUATE_LATE}'
            then interval '${LATE_SECONDS} seconds' else interval '0' end`,
          payload: `jsonb_build_object('lifecycleIds', jsonb_agg(lifecycle_id order by lifecycle_id))`,
          from: `from (
            select lane, job_kind, lifecycle_id, project_id,
              (row_number() over (partition by lane, job_kind order by lifecycle_id) - 1) / ${ROWS_PER_JOB} as part
            from written join (values
              ('${WEBHOOKS_LANE}', '${FAN_OUT}', $2::text[]), ('${ALERTS_LANE}', '${EVALUATE_ALERTS}', $3::text[]),
              ('${ALERTS_LANE}', '${EVALUATE_LATE}', $3::text[]),
              ('${TICKETS_LANE}', '${FOLLOW_INCIDENTS}', $4::text[]),
              ('${TELL_PEOPLE.lane}', '${TELL_PEOPLE.kind}', $5::text[])
            ) readers (lane, job_kind, kinds) on written.kind = any (readers.kinds)
              and (job_kind <> '${TELL_PEOPLE.kind}' or exists (select from incident_triage t
                where t.incident_id = written.incident_id and
                  coalesce(t.assignee_user_id, t.assignee_team_id, t.snoozed_by_user_id) is not null)
                or exists (select from incident_watchers w
                  where w.project_id = written.project_id and w.incident_id = written.incident_id))
          ) notifiable
          where case notifiable.lane
            when '${WEBHOOKS_LANE}'
              then exists (select from webhooks w where w.project_id = notifiable.project_id and w.is_enabled)
            when '${ALERTS_LANE}'
              then exists (select from alert_rules r where r.project_id = notifiable.project_id and r.is_enabled
                and r.is_judged_late = (job_kind = '${EVALUATE_LATE}'))
            when '${TICKETS_LANE}'
              then exists (select from trackers t where t.project_id = notifiable.project_id)
            else true end
          group by notifiable.lane, job_kind, notifiable.project_id, part`,
        })})
    ${WAKE_QUEUED}
    union all
    select pg_notify('${LEDGER_CHANNEL}', json_build_object(
      'project_id', project_id,
      'kinds', json_agg(distinct kind),
      'incident_ids', case when count(distinct incident_id) <= ${INCIDENTS_NAMED_MAX}
        then coalesce(json_agg(distinct incident_id) filter (where incident_id is not null), '[]') end)::text)
    from written group by project_id`;
