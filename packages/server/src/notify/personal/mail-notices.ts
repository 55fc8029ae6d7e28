import type { Database } from '../../platform/db/database.ts';
import { finishJobs, type Job } from '../../platform/jobs/job-queue.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import type { Runtime } from '../../runtime.ts';
import { sharedAccessPlan } from '../../workspace/access/project-access.ts';
import { lastMail, noticeMail, noticePush } from './notice-mail.ts';
import { findNews, type News, queueRest, takeNotices, tellPeople } from './notices.queries.ts';
import { lifecycleIdsIn, readNoticesPayload } from './personal.jobs.ts';
import { countMail, holdRecipient, queuePush } from './settings.queries.ts';
import { unsubscribeToken } from './unsubscribe-token.ts';

/** Personal mails to one person in a day; the next one says that there are no more. */
const MAILS_PER_DAY = 100;
/** Notices that one transaction takes. */
const NOTICES_PER_MAIL = 500;

/** Writes down whom regressions and wake-ups concern, in the transaction that finishes the job. */
export async function tellOfLedger({ database }: { database: Database }, job: Job): Promise<void> {
  const { fairnessKey: projectId } = job;
  await database.transaction(async (transaction) => {
    await finishJobs(transaction, [job]);
    const found = await findNews(transaction, projectId, lifecycleIdsIn(job.payload));
    tellPeople(
      transaction,
      found.flatMap(({ incidentId, kind, because, keptSilent }): News[] => {
        const news = { projectId, incidentId, actorUserId: null };
        const toOwn = { toAssignee: true, toWatchers: true };
        if (kind === 'incident.regressed') return [{ ...news, reason: 'own_regressed', ...toOwn }];
        // The person who woke it needs no mail. A wake-up by time is only for the person who snoozed it, and only if it
        // kept silent.
        if (because === 'person' || (because === 'time' && keptSilent === 0)) return [];
        const woke = { ...news, reason: 'own_woke' as const, because, toSnoozer: true };
        return [because === 'time' ? woke : { ...woke, ...toOwn }];
      }),
    );
  });
}

/**
 * Mails what waits for a person, in the transaction that finishes the job (docs/contract/team-workflow.md 6.4). Access
 * and settings are judged now, not when the notices were written.
 */
export async function mailNotices(
  { database, plans, keys, appUrl }: Pick<Runtime, 'database' | 'plans' | 'keys' | 'appUrl'>,
  job: Job,
): Promise<void> {
  const userId = readNoticesPayload(job.payload);
  await database.transaction(async (transaction) => {
    await finishJobs(transaction, [job]);
    const recipient = await holdRecipient(transaction, userId);
    const plan = sharedAccessPlan(plans);
    const { notices, taken } = await takeNotices(transaction, userId, { plan, limit: NOTICES_PER_MAIL });
    if (taken === NOTICES_PER_MAIL) queueRest(transaction, userId);
    if (recipient === null || recipient.mails > MAILS_PER_DAY) return;
    const [first, ...others] = notices.filter(({ reason }) => recipient.settings[reason]);
    if (first === undefined) return;
    const token = unsubscribeToken(keys.unsubscribes, userId);
    const links = { appUrl, unsubscribeUrl: `${appUrl}/unsubscribe?token=${token}` };
    const mail =
      recipient.mails < MAILS_PER_DAY
        ? noticeMail(recipient.email, [first, ...others], links)
        : lastMail(recipient.email, MAILS_PER_DAY, links);
    countMail(transaction, userId, recipient.mails + 1);
    await queueMail(transaction, keys.queuedMail.reveal(), mail);
    if (recipient.settings.ntfy !== null)
      queuePush(transaction, { userId, ...noticePush(mail, [first, ...others], appUrl) });
  });
}
