import type { Database } from '../../platform/db/database.ts';
import { numbersIn } from '../../platform/jobs/job-payload.ts';
import { finishJobs, type Job } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import type { Runtime } from '../../runtime.ts';
import { consumeAllowanceUpTo } from '../../workspace/billing/take-allowance.ts';
import { addProjectUsage } from '../../workspace/projects/project-usage.queries.ts';
import { findPast, insertPlan, insertRefusals } from './alert-deliveries.queries.ts';
import { type FitQueries, keepFitting } from './alert-queries.ts';
import { lockEnabledRules } from './alert-rules.queries.ts';
import { EVALUATE_LATE } from './alerts.jobs.ts';
import { findTargets, openedRule } from './find-targets.ts';
import { findOpenPages } from './follow-ups.queries.ts';
import { isFollowed, matchFollowUps, matchRules } from './match-rules.ts';
import { planMessages } from './plan-messages.ts';
import { findTransitions } from './transitions.queries.ts';

const METER = 'monthly_alert_deliveries';

interface EvaluationOptions extends Pick<Runtime, 'plans' | 'keys'> {
  database: Database;
  /** False: mail is off, and rules by mail send nothing. */
  isMailConfigured: boolean;
  fitQueries: FitQueries;
}

/** Turns ledger rows into alerts (docs/contract/notifications.md 1.7). */
export function alertsLane(options: EvaluationOptions): LaneWork {
  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await evaluateAlerts(job, options);
    },
  };
}

/**
 * Creates the deliveries of the transitions that a job names, and charges their messages, in the transaction that
 * finishes the job. The project's rules are held during it, so that cooldowns, digests and the allowance are exact
 * however many workers evaluate; a transition that comes twice finds its deliveries.
 */
async function evaluateAlerts(job: Job, options: EvaluationOptions): Promise<void> {
  const { database, plans, isMailConfigured, fitQueries } = options;
  const { fairnessKey: projectId } = job;
  await database.transaction(async (transaction) => {
    await finishJobs(transaction, [job]);
    const found = await findTransitions(transaction, projectId, numbersIn(job.payload, 'lifecycleIds'));
    if (found === null) return;
    const { organizationId } = found;
    const isLate = job.kind === EVALUATE_LATE;
    const enabled = await lockEnabledRules(transaction, projectId);
    const rules = enabled.filter((rule) => rule.isJudgedLate === isLate);
    const followed = rules.filter((rule) => isFollowed(rule, 'incident_resolved'));
    const open = await findOpenPages(transaction, followed, found.followUps);
    const matched = found.transitions.flatMap((transition) => matchRules(transition, rules));
    const satisfied = [
      ...(await keepFitting(matched, ({ rule, transition: { incidentId } }) => ({ rule, incidentId }), {
        database: transaction,
        projectId,
        fitQueries,
      })),
      ...found.followUps.flatMap((transition) => matchFollowUps(transition, followed, open)),
    ];
    const targets = await findTargets(
      transaction,
      options,
      organizationId,
      [...new Set(satisfied.map(({ rule }) => rule))].map((rule) => openedRule(options.keys, rule)),
    );
    const matches = satisfied.filter(
      ({ rule }) => targets.has(rule.alertId) && (isMailConfigured || rule.channel !== 'email'),
    );
    if (matches.length === 0) return;
    const past = { ...(await findPast(transaction, projectId, matches)), targets };
    const wanted = planMessages(matches, past, Number.POSITIVE_INFINITY);
    // Late, because the counter is shared by the whole organization.
    const unitsMax = await consumeAllowanceUpTo(transaction, plans, organizationId, METER, wanted.units);
    const plan = unitsMax === wanted.units ? wanted : planMessages(matches, past, unitsMax);
    if (plan.units > 0) addProjectUsage(transaction, projectId, METER, plan.units);
    if (plan.deliveries.length > 0) await insertPlan(transaction, projectId, plan);
    if (plan.refused.length > 0) await insertRefusals(transaction, projectId, plan.refused);
  });
}
