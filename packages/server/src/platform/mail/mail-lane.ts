import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { sql } from '../db/statement.ts';
import { errorFields } from '../error-fields.ts';
import { discardSentJob } from '../jobs/discard-sent-job.ts';
import type { Job } from '../jobs/job-queue.ts';
import type { LaneWork } from '../jobs/lane.ts';
import { countSend } from '../row-queue/count-send.ts';
import { type QueuedMail, readMailJob } from './mail.jobs.ts';
import type { MailTransport } from './mail.ts';
import { MailError } from './mail-error.ts';

/**
 * Sends queued mail. After a temporary refusal or a hanging server the mail is retried with growing delays; after a
 * permanent refusal it is not. A message whose outcome is unknown is sent a second time and never a third time
 * (docs/contract/reliability.md A4). Messages are never logged, only their job.
 * @param options.transport null: mail is off now, and queued mail is abandoned
 * @param options.key the key with which messages were queued
 */
export function mailLane(options: {
  database: Database;
  transport: MailTransport | null;
  key: Buffer;
  log: Logger;
}): LaneWork {
  const { database, transport, key, log } = options;

  async function deliver(job: Job): Promise<void> {
    const mail = readMailJob(key, job.payload);
    if (mail?.isDecoy === true) return await discardSentJob(database, job);
    const dropped = transport === null ? 'mail is off' : await skipReason(mail);
    if (transport === null || mail === null || dropped !== null) {
      log.info({ jobId: job.jobId, reason: dropped }, 'mail not sent');
      return await discardSentJob(database, job);
    }
    try {
      await transport.send(mail);
      countSend('mail', null);
    } catch (error) {
      if (error instanceof MailError) countSend('mail', `mail_${error.failure}`);
      if (!(error instanceof MailError) || error.failure === 'unavailable') throw error;
      if (error.failure === 'unknown' && !mail.isRepeat) {
        await markRepeat(job);
        throw error;
      }
      log.warn({ jobId: job.jobId, ...errorFields(error) }, 'mail failed permanently');
    }
    await discardSentJob(database, job);
  }

  /** A message that is too old does harm or none, but no good. */
  async function skipReason(mail: QueuedMail | null): Promise<string | null> {
    if (mail === null) return 'the data key was changed';
    if (mail.expiresAtMs === null) return null;
    const [clock] = await database.query<{ now: number }>(sql('clock')`select culprit_now() as now`);
    return clock !== undefined && clock.now >= mail.expiresAtMs ? 'expired' : null;
  }

  async function markRepeat(job: Job): Promise<void> {
    await database.query(
      sql(
        'mail-mark-repeat',
      )`update jobs set payload = payload || '{"isRepeat": true}' where job_id = $1 and attempt = $2`,
      [job.jobId, job.attempt],
    );
  }

  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await deliver(job);
    },
  };
}
