import { VERDICT_DAYS } from '@culprit/contract/alerts/alert-verdicts';
import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import { JUDGED_ROWS } from './transitions.queries.ts';

/** Statements that explain what was sent. Ids are bare UUIDs. */

/** A row of the ledger that rules judged. */
export interface JudgedRow {
  lifecycleId: number;
  occurredAtMs: number;
  incidentId: string;
  wasSnoozed: boolean;
}

type JudgedArguments = [id: string, occurredAt: Date | null, lifecycleId: number | null, rowsMax: number];

interface JudgedColumns {
  lifecycle_id: number;
  occurred_at: number;
  incident_id: string;
  was_snoozed: boolean;
}

const JUDGED_COLUMNS = `l.lifecycle_id, l.occurred_at, l.incident_id, l.kind <> 'incident.woke' and coalesce((
    select e.kind = 'incident.snoozed' and (e.data ->> 'until')::timestamptz > l.occurred_at from lifecycle_events e
    where e.incident_id = l.incident_id and e.lifecycle_id < l.lifecycle_id
      and e.kind in ('incident.snoozed', 'incident.woke', 'incident.resolved')
    order by e.lifecycle_id desc limit 1), false) as was_snoozed`;

/** From the place of a cursor on, the newest first. */
const JUDGED_PAGE = `i.sample_id is null and ${JUDGED_ROWS}
    and l.occurred_at > (select culprit_now()) - interval '${VERDICT_DAYS} days'
    and ($2::timestamptz is null or (l.occurred_at, l.lifecycle_id) <= ($2, $3::bigint))
  order by l.occurred_at desc, l.lifecycle_id desc limit $4`;

/** Returns rows of the ledger of a project that rules judged, while their messages are kept. */
export const findJudgedOfProject = statement.many<JudgedArguments, JudgedColumns, JudgedRow>(
  'alert-verdict-rows-of-project',
  `select ${JUDGED_COLUMNS} from lifecycle_events l join incidents i using (incident_id)
    where l.project_id = $1 and ${JUDGED_PAGE}`,
  judgedRow,
);

/** Returns those of an incident. */
export const findJudgedOfIncident = statement.many<JudgedArguments, JudgedColumns, JudgedRow>(
  'alert-verdict-rows-of-incident',
  `select ${JUDGED_COLUMNS} from lifecycle_events l join incidents i using (incident_id)
    where l.incident_id = $1 and ${JUDGED_PAGE}`,
  judgedRow,
);

function judgedRow(row: JudgedColumns): JudgedRow {
  return {
    lifecycleId: row.lifecycle_id,
    occurredAtMs: row.occurred_at,
    incidentId: row.incident_id,
    wasSnoozed: row.was_snoozed,
  };
}

/** Returns the matches for which nothing was sent because the allowance was used up. */
export const findRefusals = statement.many<
  [projectId: string, alertIds: readonly string[], lifecycleIds: readonly number[]],
  { alert_id: string; lifecycle_id: number }
>(
  'alert-verdict-refusals',
  `select alert_id, lifecycle_id from alert_refusals
    where project_id = $1 and alert_id = any ($2::uuid[]) and lifecycle_id = any ($3::bigint[])`,
);

/** Returns when rules with a threshold reported that incidents had reached it. */
export const findReached = statement.many<
  [incidentIds: readonly string[]],
  { incident_id: string; alert_id: string; lifecycle_id: number; occurred_at: number }
>(
  'alert-verdict-reached',
  `select l.incident_id, l.data ->> 'alert_id' as alert_id, l.lifecycle_id, l.occurred_at from lifecycle_events l
    where l.incident_id = any ($1::uuid[]) and l.kind = 'incident.threshold_reached'
      and l.occurred_at > (select culprit_now()) - interval '${VERDICT_DAYS} days'
    order by l.lifecycle_id desc`,
);

/** A delivery about an incident. */
export interface JudgedDelivery {
  alertId: string;
  incidentId: string;
  alertDeliveryId: string;
  /** The time of its transition, ISO 8601. */
  triggeredAt: string;
  lifecycle: string;
  status: 'pending' | 'retrying' | 'delivered' | 'failed';
  lastError: string | null;
  /** Its message was there already: a digest, or that of another rule with the same target. */
  isJoined: boolean;
}

/** Returns the deliveries of rules about incidents. */
export const findJudgedDeliveries = statement.many<
  [alertIds: readonly string[], incidentIds: readonly string[]],
  JudgedDelivery
>(
  'alert-verdict-deliveries',
  `select d.alert_id as "alertId", d.incident_id as "incidentId", d.alert_delivery_id as "alertDeliveryId",
      d.facts ->> 'triggeredAt' as "triggeredAt",
      d.facts ->> 'lifecycle' as lifecycle,
      case when d.dropped_at is null then m.status else 'failed' end as status,
      case when d.dropped_at is null then m.last_error else 'alert_disabled' end as "lastError",
      exists (select from alert_deliveries o where o.message_id = d.message_id
        and o.alert_delivery_id < d.alert_delivery_id) as "isJoined"
    from alert_deliveries d join alert_messages m using (message_id)
    where d.alert_id = any ($1::uuid[]) and d.incident_id = any ($2::uuid[])`,
);

/** A question whether a cooldown ran. */
interface CooldownQuestion {
  alertId: string;
  notificationKey: string;
  cooldownSeconds: number;
  /** ISO 8601. */
  at: string;
}

/**
 * Returns for each question the time at which the message was created whose cooldown ran then, in milliseconds; null for
 * none.
 */
export async function findCooldowns(
  database: Queryable,
  questions: readonly CooldownQuestion[],
): Promise<(number | null)[]> {
  if (questions.length === 0) return [];
  const rows = await database.query<{ sent_at: number | null }>(
    sql('alert-verdict-cooldowns')`select (
            select d.created_at from alert_deliveries d join alert_messages m using (message_id)
            where d.alert_id = q.alert_id and d.notification_key = q.notification_key and d.created_at < q.at
              and d.created_at > q.at - make_interval(secs => q.cooldown_seconds)
              and d.dropped_at is null and m.status <> 'failed'
            order by d.created_at desc limit 1) as sent_at
        from json_to_recordset($1::json) as q (n integer, alert_id uuid, notification_key text,
          cooldown_seconds integer, at timestamptz)
        order by q.n`,
    [
      JSON.stringify(
        questions.map(({ alertId, notificationKey, cooldownSeconds, at }, n) => ({
          n,
          alert_id: alertId,
          notification_key: notificationKey,
          cooldown_seconds: cooldownSeconds,
          at,
        })),
      ),
    ],
  );
  return rows.map((row) => row.sent_at);
}
