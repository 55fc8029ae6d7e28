import type { AlertChannel, AlertConfig } from '@culprit/contract/alerts/alerts';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Parameter, Queryable, Statement, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { newUuid, prefixedId } from '../../platform/ids.ts';
import { WAKE_CHANNEL } from '../../platform/jobs/wake-listener.ts';
import type { AttemptOutcome } from '../../platform/row-queue/attempt-outcome.ts';
import {
  type ClaimCapacity,
  claimRows,
  claimStatement,
  extendStatement,
  type LatencyClass,
  releaseStatement,
} from '../../platform/row-queue/claim-statement.ts';
import { openConfig } from '../../platform/secrets/sealed-address.ts';
import type { Secret } from '../../platform/secrets/secret.ts';
import { IS_WANTED } from './alert-deliveries.queries.ts';
import type { AlertFacts, AlertItem, LaterFacts } from './alert-facts.ts';
import { ALERT_MESSAGES_WAKE } from './alerts.jobs.ts';
import { probableCause } from './probable-cause.ts';

/** Statements of the engine that sends messages: claims under a lease, and what came of each attempt. */

/** Mail waits for one server and the rest for many: neither takes the places of the other. */
export type MessageKind = 'mail' | 'chat';

/** An attempt that was claimed and must be made now. Ids are bare UUIDs. */
export interface MessageAttempt {
  messageId: string;
  receiverId: string;
  /** The fence: as long as the row has this number, no later claim exists. */
  claimNumber: number;
  /** From 1. */
  attempt: number;
  /** Only for mail: the address. */
  recipient: string | null;
  /** An earlier attempt ended without an answer of the mail server after it had the whole message. */
  isRepeat: boolean;
  latencyClass: LatencyClass;
}

interface ClaimRow {
  receiver_id: string;
  claim_number: number;
  attempt_count: number;
  recipient: string | null;
  is_repeat: boolean;
  latency_class: LatencyClass;
}

const CLAIMS: Readonly<Record<MessageKind, Statement>> = {
  mail: claim('alert-mail-claim', `d.next_attempt_at is not null and d.channel = 'email'`),
  chat: claim('alert-chat-claim', `d.next_attempt_at is not null and d.channel <> 'email'`),
};

function claim(name: string, scope: string): Statement {
  return claimStatement({
    name,
    rows: 'alert_messages',
    rowId: 'message_id',
    receivers: 'alert_receivers',
    receiverId: 'receiver_id',
    scope,
    returning: 'd.receiver_id, d.claim_number, d.attempt_count, d.recipient, d.is_repeat, w.latency_class',
  });
}

/**
 * Claims due messages, in turns among the receivers behind `afterReceiverId`.
 * @returns the attempts, and behind which receiver the next claim should look; null at the end of the round
 */
export async function claimMessages(
  database: Queryable,
  kind: MessageKind,
  afterReceiverId: string,
  capacity: ClaimCapacity,
): Promise<{ attempts: MessageAttempt[]; continueAfter: string | null }> {
  const { rows, continueAfter } = await claimRows<ClaimRow>(
    database,
    CLAIMS[kind],
    afterReceiverId,
    capacity,
  );
  const attempts = rows.map((row) => ({
    messageId: row.row_id,
    receiverId: row.receiver_id,
    claimNumber: row.claim_number,
    attempt: row.attempt_count,
    recipient: row.recipient,
    isRepeat: row.is_repeat,
    latencyClass: row.latency_class,
  }));
  return { attempts, continueAfter };
}

/** One match, and where its rule sends it now: nowhere when the data key was changed since. */
export interface MessageItem extends AlertItem {
  config: AlertConfig;
}

/** The content of a message when an attempt begins. */
export interface MessageContent {
  organizationId: string;
  channel: AlertChannel;
  /**
   * The worst first, then by time (docs/contract/notifications.md 1.12), and of one transition the rule that asks for
   * the highest severity first (1.17); at most `ITEMS_MAX`.
   */
  items: [MessageItem, ...MessageItem[]];
  /** With those beyond the first. */
  itemCount: number;
  /** By the database clock: whatever is dropped later was in the message. */
  readAtMs: number;
}

/** Items that one message shows. */
const ITEMS_MAX = 100;

/** The deliveries of a message that are still wanted; null when there are none. */
export async function readMessage(
  database: Queryable,
  addressKey: Secret<Buffer>,
  messageId: string,
): Promise<MessageContent | null> {
  const rows = await database.query<{
    organization_id: string;
    channel: AlertChannel;
    alert_id: string;
    rule_name: string | null;
    alert_delivery_id: string;
    facts: AlertFacts;
    config: AlertConfig;
    item_count: number;
    read_at: number;
  }>(
    sql(
      'alert-message-read',
    )`select p.organization_id, m.channel, d.alert_id, r.name as rule_name, d.alert_delivery_id, d.facts, r.config,
          count(*) over () as item_count, culprit_now() as read_at
        from alert_messages m join alert_deliveries d using (message_id) join alert_rules r using (alert_id)
          join projects p on p.project_id = m.project_id
        where m.message_id = $1 and d.dropped_at is null and ${IS_WANTED}
        order by array_position(array['critical', 'high', 'medium', 'low'], d.facts -> 'incident' ->> 'severity'),
          d.facts ->> 'triggeredAt', d.incident_id, d.facts ->> 'lifecycle', r.severity_min desc nulls last,
          d.alert_delivery_id
        limit ${ITEMS_MAX}`,
    [messageId],
  );
  const [first, ...others] = rows.map((row) => ({
    alertId: prefixedId('alt', row.alert_id),
    ruleName: row.rule_name,
    alertDeliveryId: row.alert_delivery_id,
    facts: row.facts,
    config: openConfig(addressKey, row.config, row.alert_id) ?? {},
  }));
  const [row] = rows;
  if (first === undefined || row === undefined) return null;
  return {
    organizationId: row.organization_id,
    channel: row.channel,
    items: [first, ...others],
    itemCount: row.item_count,
    readAtMs: row.read_at,
  };
}

/** Returns the facts that became known about an incident since its transition; null when it is gone. */
export async function findLaterFacts(
  database: Queryable,
  incidentId: string,
  triggeredAt: string,
): Promise<LaterFacts | null> {
  const [row] = await database.query<{
    affected_users: number | null;
    title: string;
    fingerprint_kind: string;
    last_seen_at: number;
    types: string[] | null;
    top_frame: LaterFacts['topFrame'];
    deployed_at: number | null;
    version: string | null;
    commit_sha: string | null;
    assignee: string | null;
    ticket: string | null;
  }>(
    sql(
      'alert-later-facts',
    )`select nullif(i.affected_users, 0) as affected_users, i.title, i.fingerprint_kind, i.last_seen_at, b.top_frame,
          (select s.types from incident_search s
            where s.project_id = i.project_id and s.incident_id = i.incident_id) as types,
          d.deployed_at, d.version, d.commit_sha,
          (select coalesce(g.name, u.name, u.handle) from incident_triage t
            left join users u on u.user_id = t.assignee_user_id left join teams g on g.team_id = t.assignee_team_id
            where t.incident_id = i.incident_id) as assignee,
          (select coalesce(l.key, l.url) from incident_links l
            where l.project_id = i.project_id and l.incident_id = i.incident_id
            order by l.created_at desc, l.link_id desc limit 1) as ticket
        from incidents i left join bundles b using (incident_id) left join lateral (
          select deployed_at, version, commit_sha from deployments
          where project_id = i.project_id and service_name = i.service_name and environment = i.environment
            and deployed_at <= $2
          order by deployed_at desc limit 1
        ) d on true
        where i.incident_id = $1`,
    [incidentId, new Date(triggeredAt)],
  );
  if (row === undefined) return null;
  const { deployed_at: deployedAt, version, commit_sha: commitSha, assignee, ticket } = row;
  return {
    assignee,
    ticket,
    affectedUsers: row.affected_users,
    topFrame: row.top_frame,
    cause: probableCause({
      title: row.title,
      fingerprintKind: row.fingerprint_kind,
      types: row.types ?? [],
      topFrame: row.top_frame,
      lastSeenAt: formatTimestamp(row.last_seen_at),
    }),
    deploy:
      deployedAt === null
        ? null
        : { version, commitSha, minutesBefore: Math.round((Date.parse(triggeredAt) - deployedAt) / 60_000) },
  };
}

/**
 * Moves deliveries of a claimed message into one of their own, which is due now: their rules have another target since
 * the message was made. Nothing when it was claimed again since. Locks the message first, as `dropUnwanted`
 * does.
 */
export async function splitMessage(
  transaction: Transaction,
  attempt: Pick<MessageAttempt, 'messageId' | 'claimNumber'>,
  alertDeliveryIds: readonly string[],
): Promise<void> {
  await transaction.query(
    sql('alert-message-split')`with held as (
          select m.project_id, m.channel from alert_messages m
          where m.message_id = $1 and m.claim_number = $2 and m.next_attempt_at is not null for no key update
        ), moved as (
          select d.alert_delivery_id, d.alert_id from alert_deliveries d, held
          where d.message_id = $1 and d.alert_delivery_id = any ($3::uuid[]) and d.dropped_at is null
        ), receivers as (
          insert into alert_receivers (receiver_id, project_id)
          select (select min(alert_id::text)::uuid from moved), project_id from held where exists (select from moved)
          on conflict do nothing
        ), made as (
          insert into alert_messages (message_id, project_id, receiver_id, channel, status, next_attempt_at)
          select $4::uuid, project_id, (select min(alert_id::text)::uuid from moved), channel, 'pending', culprit_now()
          from held where exists (select from moved)
          returning message_id
        )
        update alert_deliveries d set message_id = made.message_id from made, moved
        where d.alert_delivery_id = moved.alert_delivery_id`,
    [attempt.messageId, attempt.claimNumber, [...alertDeliveryIds], newUuid()],
  );
  await transaction.query(
    sql('alert-messages-wake')`select pg_notify('${WAKE_CHANNEL}', '${ALERT_MESSAGES_WAKE}')`,
  );
}

/**
 * Ends the deliveries of a message whose rules no longer require them, for example after a person left to whom they
 * were mailed.
 */
export const dropUnwantedOf = statement.run<[messageId: string]>(
  'alert-message-drop',
  `update alert_deliveries d set dropped_at = culprit_now()
    from alert_messages m
    where d.message_id = $1 and m.message_id = $1 and d.dropped_at is null
      and not exists (select from alert_rules r where r.alert_id = d.alert_id and ${IS_WANTED})`,
);

/**
 * Records an attempt that succeeded. Deliveries that were dropped after it began did arrive. False when another process
 * has claimed the message since.
 */
export async function recordSent(
  transaction: Queryable,
  attempt: Pick<MessageAttempt, 'messageId' | 'claimNumber'>,
  { responseCode, readAtMs }: { responseCode: number | null; readAtMs: number },
): Promise<boolean> {
  const rows = await transaction.query(
    sql('alert-record-sent')`with sent as (
          update alert_messages set
            status = 'delivered',
            next_attempt_at = null,
            leased_until = null,
            last_response_code = $3,
            last_error = null,
            delivered_at = culprit_now()
          where message_id = $1 and claim_number = $2 returning message_id
        ), told as (
          update alert_deliveries d set dropped_at = null from sent
          where d.message_id = sent.message_id and d.dropped_at > $4
        )
        select from sent`,
    [attempt.messageId, attempt.claimNumber, responseCode, new Date(readAtMs)],
  );
  return rows.length > 0;
}

/**
 * Records an attempt that failed. A message that ended in the meantime, because its rules were disabled, stays
 * unchanged. False when another process has claimed it since.
 * @param failure.waitMs until the next attempt; null: this was the last
 */
export async function recordNotSent(
  transaction: Queryable,
  attempt: Pick<MessageAttempt, 'messageId' | 'claimNumber'>,
  failure: { responseCode: number | null; error: string; waitMs: number | null; isUnknown: boolean },
): Promise<boolean> {
  const rows = await transaction.query(
    sql('alert-record-not-sent')`update alert_messages set
          status = case
            when next_attempt_at is null then status
            when $5::float8 is null then 'failed'
            else 'retrying' end,
          next_attempt_at = case when next_attempt_at is not null then culprit_now() + $5 * interval '1 ms' end,
          last_error = case when next_attempt_at is null then last_error else $4 end,
          is_repeat = is_repeat or $6,
          leased_until = null,
          last_response_code = $3
        where message_id = $1 and claim_number = $2 returning 1`,
    [
      attempt.messageId,
      attempt.claimNumber,
      failure.responseCode,
      failure.error,
      failure.waitMs,
      failure.isUnknown,
    ],
  );
  return rows.length > 0;
}

/** Remembers how long an attempt took. Writes only what is news. */
export const recordLatencyClass = inTransaction.run<
  [receiverId: string, latencyClass: AttemptOutcome['latencyClass']]
>(
  'alert-record-latency-class',
  'update alert_receivers set latency_class = $2 where receiver_id = $1 and latency_class <> $2',
);

/** Extends the leases of attempts under way: a mail server may take minutes. */
export async function extendMessages(
  database: Queryable,
  attempts: readonly Pick<MessageAttempt, 'messageId' | 'claimNumber'>[],
): Promise<void> {
  await database.query(EXTEND, idsOf(attempts));
}

/** Gives attempts back whose outcome this process will not see: they are due again, and count. */
export async function releaseMessages(
  database: Queryable,
  attempts: readonly Pick<MessageAttempt, 'messageId' | 'claimNumber'>[],
): Promise<void> {
  await database.query(RELEASE, idsOf(attempts));
}

function idsOf(attempts: readonly Pick<MessageAttempt, 'messageId' | 'claimNumber'>[]): Parameter[] {
  return [attempts.map((each) => each.messageId), attempts.map((each) => each.claimNumber)];
}

const EXTEND = extendStatement({
  name: 'alert-messages-extend',
  rows: 'alert_messages',
  rowId: 'message_id',
});

const RELEASE = releaseStatement({
  name: 'alert-messages-hand-back',
  rows: 'alert_messages',
  rowId: 'message_id',
});
