import type { Database } from '../../platform/db/database.ts';
import { finishJobs, type Job } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import { PLAN_MAIL, readAllowanceCheckPayload, readPlanMailPayload } from './billing.jobs.ts';
import { findOwnerAddress } from './billing.queries.ts';
import { checkAllowances } from './check-allowances.ts';
import type { PlanSettings } from './plan.ts';
import { planInForce } from './plan-in-force.ts';
import { isPlanMailDue, planMail } from './plan-mail.ts';
import { findPlanRecord } from './plan-records.queries.ts';

/** Writes the messages about plans and allowances when they are due, each into the queue of mail, once. */
export function billingLane(options: {
  database: Database;
  plans: PlanSettings;
  mailKey: Buffer;
  appUrl: string;
}): LaneWork {
  const { database, plans, mailKey, appUrl } = options;

  async function writePlanMail(job: Job): Promise<void> {
    const { organizationId, mail } = readPlanMailPayload(job.payload);
    await database.transaction(async (transaction) => {
      await finishJobs(transaction, [job]);
      const found = await findPlanRecord(transaction, organizationId);
      const to = await findOwnerAddress(transaction, organizationId);
      if (found === null || to === null) return;
      const { record, nowMs } = found;
      const { trial } = record;
      if (trial === null || !isPlanMailDue(mail, record, plans, nowMs)) return;
      const { plan } = planInForce(record, plans, nowMs);
      await queueMail(transaction, mailKey, { to, ...planMail(mail, { plan, trial, nowMs, appUrl }) });
    });
  }

  async function check(job: Job): Promise<void> {
    const { organizationId, windowStartMs, meters } = readAllowanceCheckPayload(job.payload);
    await database.transaction(async (transaction) => {
      await finishJobs(transaction, [job]);
      await checkAllowances(transaction, options, organizationId, windowStartMs, meters);
    });
  }

  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await (job.kind === PLAN_MAIL ? writePlanMail(job) : check(job));
    },
  };
}
