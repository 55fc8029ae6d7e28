import { type PlanSettings, planOverride } from '../billing/plan.ts';
import { usageWindowStartMs } from '../billing/usage-window.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { WorkerFate } from './apply-events.ts';
import { addFates, addUsage, type ProcessingProject } from './processing.queries.ts';
import type { ReadEvent } from './read-batches.ts';

/** The meter of events (account.md 6.4). */
const EVENTS_METER = 'monthly_raw_ingested_events';
const HOUR_MS = 3_600_000;

/** Counts fates and the monthly allowance. Last in the transaction: these rows are shared by many. */
export async function accountEvents(
  transaction: Queryable,
  project: ProcessingProject,
  projectId: string,
  events: readonly ReadEvent[],
  fresh: ReadonlySet<ReadEvent>,
  plans: PlanSettings,
): Promise<void> {
  const plan =
    planOverride(plans) ?? (project.plan === 'free' || project.plan === 'solo' ? project.plan : 'team');
  const billed = [...fresh].filter((each) => {
    const eventClass = each.record.isDemoted ? 'context_signal' : each.record.eventClass;
    return eventClass === 'incident_signal' || (eventClass === 'context_signal' && plan !== 'free');
  }).length;
  if (billed > 0) {
    const windowStartMs = usageWindowStartMs(plan, project.planStartedAtMs, project.nowMs);
    await addUsage(transaction, project.organizationId, windowStartMs, EVENTS_METER, billed);
  }
  await addFates(transaction, projectId, countFates(events, fresh));
}

function countFates(events: readonly ReadEvent[], fresh: ReadonlySet<ReadEvent>) {
  const counts = new Map<string, { tokenId: string; hourMs: number; fate: WorkerFate; events: number }>();
  for (const each of events) {
    const fate = !fresh.has(each) ? 'duplicate' : each.record.isDemoted ? 'demoted' : 'processed';
    const hourMs = Math.floor(each.event.receivedAtMs / HOUR_MS) * HOUR_MS;
    const key = `${each.tokenId} ${hourMs} ${fate}`;
    const known = counts.get(key);
    if (known !== undefined) known.events += 1;
    else counts.set(key, { tokenId: each.tokenId, hourMs, fate, events: 1 });
  }
  return [...counts.values()];
}
