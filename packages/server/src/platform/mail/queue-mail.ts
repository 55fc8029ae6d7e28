import type { Queryable } from '../db/database.ts';
import { newUuid } from '../ids.ts';
import { WAKE_CHANNEL } from '../jobs/wake-listener.ts';
import { MAIL_LANE, SEND_MAIL, sealMail } from './mail.jobs.ts';
import { checkedMail, type Mail } from './mail.ts';

export interface QueueMailOptions {
  /** Older than this it is not sent any more. */
  lifetimeMs?: number;
  /** True: queued like any other, but not sent, so that nobody can tell from outside (account.md 2.2). */
  isDecoy?: boolean;
}

/**
 * Queues a message inside the caller's transaction; it leaves once that commits. Recipients take turns, so that one
 * whose server is slow does not hold up the others. Throws when `to` is not exactly one address.
 * @param key from `deriveKey(dataKey, 'queued-mail')`
 */
export async function queueMail(
  transaction: Queryable,
  key: Buffer,
  mail: Mail,
  options: QueueMailOptions = {},
): Promise<void> {
  const checked = checkedMail(mail);
  const messageId = newUuid();
  const sealed = sealMail(key, { ...checked, messageId });
  const payload = { sealed, messageId, isDecoy: options.isDecoy === true };
  await transaction.query(QUEUE, [
    MAIL_LANE,
    SEND_MAIL,
    checked.to,
    JSON.stringify(payload),
    options.lifetimeMs ?? null,
  ]);
}

// The recipient stands where other lanes have the project: whose turn it is.
const QUEUE = {
  name: 'mail-queue',
  text: `
    with queued as (
      insert into jobs (lane, kind, project_id, payload)
      select $1, $2, md5(lower($3))::uuid, $4::jsonb || case when $5::float8 is null then '{}'::jsonb
        else jsonb_build_object('expiresAtMs', floor(extract(epoch from culprit_now()) * 1000 + $5)) end
      returning lane
    )
    select pg_notify('${WAKE_CHANNEL}', lane) from queued`,
};
