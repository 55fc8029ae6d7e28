import type { AlertDelivery } from '@culprit/contract/alerts/alert-deliveries';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { prefixedId } from '../../platform/ids.ts';
import { NO_INCIDENT } from './alert-facts.ts';

/** Deliveries of a rule as people see them. */

interface Row {
  alert_delivery_id: string;
  alert_id: string;
  project_id: string;
  incident_id: string;
  dedupe_key: string;
  notification_key: string;
  channel: AlertDelivery['channel'];
  status: AlertDelivery['status'];
  attempt_count: number;
  next_attempt_at: number | null;
  last_attempted_at: number | null;
  last_response_code: number | null;
  last_error: string | null;
  created_at: number;
  delivered_at: number | null;
}

// If a rule was disabled before its message left, its delivery has failed, whatever the outcome of the rest of the
// message.
const COLUMNS = `d.alert_delivery_id, d.alert_id, d.project_id, d.incident_id, d.dedupe_key, d.notification_key,
  m.channel, case when d.dropped_at is null then m.status else 'failed' end as status, m.attempt_count,
  case when d.dropped_at is null then m.next_attempt_at end as next_attempt_at, m.last_attempted_at,
  m.last_response_code, case when d.dropped_at is null then m.last_error else 'alert_disabled' end as last_error,
  d.created_at, case when d.dropped_at is null then m.delivered_at end as delivered_at`;

/** A page of the deliveries of a rule, newest first. */
export async function listDeliveryRecords(
  database: Queryable,
  alertId: string,
  page: TimePage,
): Promise<AlertDelivery[]> {
  const rows = await database.query<Row>(
    sql(
      'alert-deliveries-list',
    )`select ${COLUMNS} from alert_deliveries d join alert_messages m using (message_id)
        where d.alert_id = $1
          and ($2::timestamptz is null or (d.created_at, d.alert_delivery_id) < ($2, $3::uuid))
        order by d.created_at desc, d.alert_delivery_id desc limit $4`,
    [alertId, ...pageParameters(page)],
  );
  return rows.map(recordOf);
}

/** One delivery of a rule. */
export const findDeliveryRecord = statement.one<[alertDeliveryId: string], Row, AlertDelivery>(
  'alert-delivery-find',
  `select ${COLUMNS} from alert_deliveries d join alert_messages m using (message_id)
    where d.alert_delivery_id = $1`,
  recordOf,
);

function recordOf(row: Row): AlertDelivery {
  return {
    alert_delivery_id: row.alert_delivery_id,
    alert_id: prefixedId('alt', row.alert_id),
    project_id: prefixedId('proj', row.project_id),
    incident_id: row.incident_id === NO_INCIDENT ? null : prefixedId('inc', row.incident_id),
    dedupe_key: row.dedupe_key,
    notification_key: row.notification_key,
    channel: row.channel,
    status: row.status,
    attempt_count: row.attempt_count,
    next_attempt_at: timeOrNull(row.next_attempt_at),
    last_attempted_at: timeOrNull(row.last_attempted_at),
    last_response_code: row.last_response_code,
    last_error: row.last_error,
    created_at: formatTimestamp(row.created_at),
    delivered_at: timeOrNull(row.delivered_at),
  };
}

function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : formatTimestamp(timeMs);
}
