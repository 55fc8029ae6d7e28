import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import { WAKE_CHANNEL } from '../../platform/jobs/wake-listener.ts';
import { NO_INCIDENT } from './alert-facts.ts';
import { ALERT_MESSAGES_WAKE } from './alerts.jobs.ts';
import type { Match } from './match-rules.ts';
import { coolingKey, type MessagePlan, onceKey, type Past } from './plan-messages.ts';

/** Statements over deliveries and messages but for those of the engine that sends them. Ids are bare UUIDs. */

/** All matches of a mail digest go into one message (docs/contract/notifications.md 1.12). */
const DIGEST_SECONDS = 10;

/** The condition in SQL that a rule `r` exists and still requires its message `m` to be sent. */
export const IS_WANTED = `coalesce(r.is_enabled and r.channel = m.channel and r.config <> '{}'
  and (m.recipient is null or r.config ->> 'to' = m.recipient), false)`;

/**
 * The receiver of a `recipient` of the project `$1`: mail of one address takes turns as one, whichever rule sends it.
 */
const MAIL_RECEIVER = `md5($1 || ' ' || recipient)::uuid`;

/**
 * Returns the earlier deliveries, cooldowns and digests that decide about matches. Exact as long as the project's rules
 * are held: no other transaction adds to them then. Open digests are held too, so that none is sent before what joins
 * it is written.
 */
export async function findPast(
  transaction: Transaction,
  projectId: string,
  matches: readonly Match[],
): Promise<Past> {
  const rows = await transaction.query<{ n: number; is_made: boolean; is_cooling: boolean }>(
    sql('alerts-past')`select s.n,
          exists (select from alert_deliveries d where d.alert_id = s.alert_id and d.incident_id = s.incident_id
            and d.dedupe_key = s.dedupe_key) as is_made,
          s.cooldown_seconds > 0 and exists (
            select from alert_deliveries d join alert_messages m using (message_id)
            where d.alert_id = s.alert_id and d.notification_key = s.notification_key
              and d.created_at > (select culprit_now()) - make_interval(secs => s.cooldown_seconds)
              and d.dropped_at is null and m.status <> 'failed') as is_cooling
        from json_to_recordset($1::json) as s (n integer, alert_id uuid, incident_id uuid, dedupe_key text,
          notification_key text, cooldown_seconds integer)`,
    [
      JSON.stringify(
        matches.map(({ rule, transition, dedupeKey, notificationKey }, n) => ({
          n,
          alert_id: rule.alertId,
          incident_id: transition.incidentId,
          dedupe_key: dedupeKey,
          notification_key: notificationKey,
          cooldown_seconds: rule.cooldownSeconds,
        })),
      ),
    ],
  );
  const digests = await transaction.query<{ recipient: string; message_id: string }>(
    sql('alert-digests-hold')`select recipient, message_id from alert_messages
        where receiver_id in (select ${MAIL_RECEIVER} from unnest($2::text[]) as asked (recipient))
          and attempt_count = 0 and next_attempt_at > (select culprit_now()) and channel = 'email'
        order by message_id for update`,
    [projectId, recipientsOf(matches)],
  );
  const matched = (isChosen: (row: (typeof rows)[number]) => boolean) =>
    rows.flatMap((row) => (isChosen(row) ? (matches[row.n] ?? []) : []));
  return {
    made: new Set(matched((row) => row.is_made).map(onceKey)),
    cooling: new Set(matched((row) => row.is_cooling).map(coolingKey)),
    openDigests: new Map(digests.map((row) => [row.recipient, row.message_id])),
  };
}

function recipientsOf(matches: readonly Match[]): string[] {
  return [...new Set(matches.flatMap(({ rule }) => rule.config.to ?? []))];
}

/** Writes messages with their deliveries and wakes their senders when the transaction commits. */
export async function insertPlan(
  transaction: Transaction,
  projectId: string,
  { messages, deliveries }: Pick<MessagePlan, 'messages' | 'deliveries'>,
): Promise<void> {
  await transaction.query(
    sql('alert-messages-insert')`with wanted as (
          select message_id, channel, recipient, is_unsendable, is_digest,
            case when recipient is null then alert_id else ${MAIL_RECEIVER} end as receiver_id
          from json_to_recordset($2::json) as w (message_id uuid, alert_id uuid, channel text, recipient text,
            is_unsendable boolean, is_digest boolean)
        ), receivers as (
          insert into alert_receivers (receiver_id, project_id)
          select distinct receiver_id, $1::uuid from wanted order by receiver_id
          on conflict do nothing
        ), made as (
          insert into alert_messages
            (message_id, project_id, receiver_id, channel, recipient, status, last_error, next_attempt_at)
          select message_id, $1::uuid, receiver_id, channel, recipient,
            case when is_unsendable then 'failed' else 'pending' end,
            case when is_unsendable then 'email_not_configured' end,
            case when is_unsendable then null
              when not is_digest then culprit_now()
              else culprit_now() + make_interval(secs => ${DIGEST_SECONDS}) end
          from wanted
        )
        select pg_notify('${WAKE_CHANNEL}', '${ALERT_MESSAGES_WAKE}')`,
    [
      projectId,
      JSON.stringify(
        messages.map(({ messageId, match, isUnsendable }) => ({
          message_id: messageId,
          alert_id: match.rule.alertId,
          channel: match.rule.channel,
          recipient: match.rule.config.to ?? null,
          is_unsendable: isUnsendable,
          // A test is a separate message.
          is_digest: match.rule.channel === 'email' && match.transition.incidentId !== NO_INCIDENT,
        })),
      ),
    ],
  );
  await transaction.query(
    sql('alert-deliveries-insert')`insert into alert_deliveries
          (alert_delivery_id, alert_id, project_id, incident_id, message_id, dedupe_key, notification_key, facts)
        select alert_delivery_id, alert_id, $1, incident_id, message_id, dedupe_key, notification_key, facts
        from json_to_recordset($2::json) as d (alert_delivery_id uuid, alert_id uuid, incident_id uuid,
          message_id uuid, dedupe_key text, notification_key text, facts jsonb)`,
    [
      projectId,
      JSON.stringify(
        deliveries.map(({ alertDeliveryId, messageId, match }) => ({
          alert_delivery_id: alertDeliveryId,
          alert_id: match.rule.alertId,
          incident_id: match.transition.incidentId,
          message_id: messageId,
          dedupe_key: match.dedupeKey,
          notification_key: match.notificationKey,
          facts: { condition: match.rule.condition, ...match.transition.facts },
        })),
      ),
    ],
  );
}

/** Records the matches for which nothing was sent because the allowance was used up: verdicts name it. */
export async function insertRefusals(
  transaction: Transaction,
  projectId: string,
  refused: readonly Match[],
): Promise<void> {
  await transaction.query(
    sql('alert-refusals-insert')`insert into alert_refusals (project_id, alert_id, lifecycle_id)
        select $1, alert_id, lifecycle_id from unnest($2::uuid[], $3::bigint[]) as r (alert_id, lifecycle_id)
        on conflict do nothing`,
    [
      projectId,
      refused.map(({ rule }) => rule.alertId),
      refused.map(({ transition }) => transition.lifecycleId),
    ],
  );
}

/**
 * Ends the waiting deliveries of a rule that is gone or no longer requires them; a digest continues with the rest of
 * its deliveries. The outcome of a message that is under way is still recorded.
 */
export const dropUnwanted = inTransaction.run<[alertId: string]>(
  'alert-deliveries-drop',
  // Messages are locked first, as when their end is recorded, so a message that was sent in the meantime is not
  // dropped.
  `with held as (
      select m.message_id from alert_messages m left join alert_rules r on r.alert_id = $1
      where m.message_id in (select message_id from alert_deliveries where alert_id = $1 and dropped_at is null)
        and m.next_attempt_at is not null and not ${IS_WANTED}
      order by m.message_id for no key update of m
    ), dropped as (
      update alert_deliveries d set dropped_at = culprit_now() from held
      where d.alert_id = $1 and d.dropped_at is null and d.message_id = held.message_id
      returning d.message_id, d.alert_delivery_id
    )
    update alert_messages m set status = 'failed', last_error = 'alert_disabled', next_attempt_at = null
    where m.message_id in (select message_id from dropped) and m.next_attempt_at is not null
      and not exists (
        select from alert_deliveries d where d.message_id = m.message_id and d.dropped_at is null
          and d.alert_delivery_id not in (select alert_delivery_id from dropped))`,
);
