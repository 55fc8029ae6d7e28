import type { Database, Transaction } from '../../platform/db/database.ts';
import { newUuid } from '../../platform/ids.ts';
import { numbersIn } from '../../platform/jobs/job-payload.ts';
import { finishJobs, type Job } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import type { PlanSettings } from '../../workspace/billing/plan.ts';
import { consumeAllowanceUpTo } from '../../workspace/billing/take-allowance.ts';
import { findDelivered, insertDeliveries, type NewDelivery, sourceKey } from './deliveries.queries.ts';
import { findLifecycleFacts, type LedgerFacts } from './lifecycle-facts.queries.ts';
import { lockSharedSubscribers, type Subscriber } from './receiving-webhooks.queries.ts';
import { matchesFilters } from './webhook.ts';
import { eventOf, lifecycleBody } from './webhook-payload.ts';

/** Jobs of one project that share a transaction. */
const JOBS_MAX = 10;
/** Deliveries of one statement, so that none takes long. */
const DELIVERIES_PER_STEP = 1000;

interface FanOutOptions {
  database: Database;
  plans: PlanSettings;
  appUrl: string;
}

/** Turns ledger rows into deliveries (docs/contract/reliability.md A4). */
export function fanOutLane(options: FanOutOptions): LaneWork {
  return {
    claimMax: JOBS_MAX,
    run: (jobs) => fanOut(jobs, options),
  };
}

/**
 * Makes the deliveries of the ledger rows that some jobs of one project name, and charges them, in the transaction
 * that finishes the jobs: a row is fanned out once. Beyond the monthly allowance none are made, and not later either
 * (docs/contract/notifications.md 3.12); what there is goes to the earliest events.
 */
async function fanOut(jobs: readonly Job[], options: FanOutOptions): Promise<void> {
  const [first] = jobs;
  if (first === undefined) return;
  const { fairnessKey: projectId } = first;
  const lifecycleIds = jobs.flatMap((job) => numbersIn(job.payload, 'lifecycleIds'));
  await options.database.transaction(async (transaction) => {
    await finishJobs(transaction, jobs);
    const found = await findLifecycleFacts(transaction, projectId, lifecycleIds);
    if (found === null) return;
    const subscribers = await lockSharedSubscribers(transaction, projectId);
    const wanted = await withoutMade(transaction, matching(found.facts, subscribers, options.appUrl));
    if (wanted.length === 0) return;
    const granted = await consumeAllowanceUpTo(
      transaction,
      options.plans,
      found.organizationId,
      'monthly_webhook_deliveries',
      wanted.length,
    );
    for (const part of parts(wanted.slice(0, granted))) await insertDeliveries(transaction, projectId, part);
  });
}

/** A delivery for each webhook that subscribes to the event and whose filters match, events in order. */
function matching(
  facts: readonly LedgerFacts[],
  subscribers: readonly Subscriber[],
  appUrl: string,
): NewDelivery[] {
  return facts.flatMap((fact) => {
    const eventType = eventOf(fact.kind);
    const interested = subscribers.filter(
      ({ events, filters }) => events.includes(eventType) && matchesFilters(filters, fact),
    );
    if (interested.length === 0) return [];
    const body = lifecycleBody(fact, appUrl);
    const { lifecycleId } = fact;
    return interested.map(({ webhookId }) => ({
      deliveryId: newUuid(),
      webhookId,
      eventType,
      lifecycleId,
      body,
    }));
  });
}

/** A job that came twice finds its deliveries: they must not be charged again. */
async function withoutMade(transaction: Transaction, wanted: readonly NewDelivery[]): Promise<NewDelivery[]> {
  const left: NewDelivery[] = [];
  for (const part of parts(wanted)) {
    const made = await findDelivered(transaction, part);
    left.push(...part.filter(({ webhookId, lifecycleId }) => !made.has(sourceKey(webhookId, lifecycleId))));
  }
  return left;
}

function parts(deliveries: readonly NewDelivery[]): NewDelivery[][] {
  const count = Math.ceil(deliveries.length / DELIVERIES_PER_STEP);
  return Array.from({ length: count }, (_, n) =>
    deliveries.slice(n * DELIVERIES_PER_STEP, (n + 1) * DELIVERIES_PER_STEP),
  );
}
