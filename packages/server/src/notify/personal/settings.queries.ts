import { PERSONAL_REASONS, type PersonalReason } from '@culprit/contract/alerts/personal-reasons';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import type { StoredNtfy } from './personal-ntfy.ts';
import { PUSH_NOTICE, type Push } from './push.jobs.ts';

/** The notifications that a person has chosen, the digest interval, and the topic in addition to mail. */
export type StoredSettings = Record<PersonalReason, boolean> & {
  digest_minutes: number;
  ntfy: StoredNtfy | null;
};

const DEFAULTS: StoredSettings = {
  assigned: true,
  mentioned: true,
  own_regressed: true,
  own_woke: true,
  watched: true,
  digest_minutes: 1,
  ntfy: null,
};

const COLUMNS = `${PERSONAL_REASONS.join(', ')}, digest_minutes`;

export async function findSettings(database: Queryable, userId: string): Promise<StoredSettings> {
  const [row] = await database.query<StoredSettings>(
    sql('personal-settings-find')`select ${COLUMNS}, ntfy from personal_settings where user_id = $1`,
    [userId],
  );
  return row ?? DEFAULTS;
}

/** Saves the fields that are given; false when the account is gone. */
export async function saveSettings(
  database: Queryable,
  userId: string,
  change: Partial<StoredSettings>,
): Promise<boolean> {
  const rows = await database.query(
    sql('personal-settings-save')`insert into personal_settings as s (user_id, ${COLUMNS})
        select u.user_id, ${PERSONAL_REASONS.map((_, n) => `coalesce($${n + 2}, true)`).join(', ')}, coalesce($7, 1)
        from users u where u.user_id = $1
        on conflict (user_id) do update set
          ${PERSONAL_REASONS.map((reason, n) => `${reason} = coalesce($${n + 2}, s.${reason})`).join(', ')},
          digest_minutes = coalesce($7, s.digest_minutes)
        returning user_id`,
    [userId, ...PERSONAL_REASONS.map((reason) => change[reason] ?? null), change.digest_minutes ?? null],
  );
  return rows.length > 0;
}

/** Replaces the topic that notifies a person in addition to mail; null removes it. The row exists. */
export function saveNtfy(transaction: Transaction, userId: string, ntfy: StoredNtfy | null): void {
  transaction.send(sql('personal-ntfy-save')`update personal_settings set ntfy = $2 where user_id = $1`, [
    userId,
    ntfy === null ? null : JSON.stringify(ntfy),
  ]);
}

/** Enqueues a message for a person's topic. */
export function queuePush(transaction: Transaction, push: Push): void {
  transaction.send(QUEUE_PUSH, [push.userId, JSON.stringify(push)]);
}

const QUEUE_PUSH = sql('personal-push-queue')`with queued as (${enqueue({
  job: PUSH_NOTICE,
  fairnessKey: '$1::uuid',
  payload: '$2::jsonb',
})}) ${WAKE_QUEUED}`;

/** The recipient of a mail. Its row is locked until the transaction ends, so that one mail at a time is counted. */
interface Recipient {
  email: string;
  settings: StoredSettings;
  /** Mails of today so far. */
  mails: number;
}

/** Null when the account is gone or its address was never verified. */
export async function holdRecipient(transaction: Transaction, userId: string): Promise<Recipient | null> {
  await saveSettings(transaction, userId, {});
  const [row] = await transaction.query<StoredSettings & { email: string; mails: number }>(
    sql('personal-recipient-hold')`select u.email, ${COLUMNS}, s.ntfy,
          case when s.mailed_on = culprit_now()::date then s.mails else 0 end as mails
        from personal_settings s join users u on u.user_id = s.user_id
        where s.user_id = $1 and u.email_verified_at is not null for update of s`,
    [userId],
  );
  if (row === undefined) return null;
  const { email, mails, ...settings } = row;
  return { email, mails, settings };
}

/** Counts a mail of today to a person whom the caller holds. */
export const countMail = inTransaction.send<[userId: string, mails: number]>(
  'personal-mail-count',
  'update personal_settings set mailed_on = culprit_now()::date, mails = $2 where user_id = $1',
);
