import type { Transaction } from '../db/database.ts';
import { sql } from '../db/statement.ts';
import { newUuid } from '../ids.ts';
import { enqueue, WAKE_QUEUED } from '../jobs/enqueue.ts';
import { MAIL_LANE, SEND_MAIL, sealMail } from './mail.jobs.ts';
import { type Mail, sanitizeMail } from './mail.ts';

export interface QueueMailOptions {
  /** A message older than this is no longer sent. */
  lifetimeMs?: number;
  /**
   * True: queued like any other message, but not sent, so that the difference is invisible from outside
   * (docs/contract/account.md 2.2).
   */
  isDecoy?: boolean;
}

/**
 * Queues a message inside the caller's transaction; it leaves once that commits. Recipients take turns, so that one
 * whose server is slow does not hold up the others. Throws when `to` is not exactly one address.
 * @param key `queuedMail` of the installation's keys
 */
export async function queueMail(
  transaction: Transaction,
  key: Buffer,
  mail: Mail,
  options: QueueMailOptions = {},
): Promise<void> {
  const checked = sanitizeMail(mail);
  const messageId = newUuid();
  const sealed = sealMail(key, { ...checked, messageId });
  const payload = { sealed, messageId, isDecoy: options.isDecoy === true };
  await transaction.query(QUEUE, [checked.to, JSON.stringify(payload), options.lifetimeMs ?? null]);
}

const QUEUE = sql('mail-queue')`with queued as (${enqueue({
  job: { lane: MAIL_LANE, kind: SEND_MAIL },
  fairnessKey: 'md5(lower($1))::uuid',
  payload: `$2::jsonb || case when $3::float8 is null then '{}'::jsonb
        else jsonb_build_object('expiresAtMs', floor(extract(epoch from culprit_now()) * 1000 + $3)) end`,
})})
    ${WAKE_QUEUED}`;
