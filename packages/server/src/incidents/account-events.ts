import { EVENTS_METER } from '../billing/meters.ts';
import type { PlanSettings } from '../billing/plan.ts';
import { planInForce } from '../billing/plan-in-force.ts';
import { addUsage } from '../billing/usage-counters.queries.ts';
import { insertRuleHits, type RuleHits } from '../capture/rule-hits.queries.ts';
import type { Queryable } from '../platform/db/database.ts';
import { addProjectUsage } from '../projects/project-usage.queries.ts';
import type { WorkerFate } from './apply-events.ts';
import { addFates, type ProcessingProject } from './processing.queries.ts';
import type { ReadEvent } from './read-batches.ts';

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
  const { plan, usageWindow } = planInForce(project.planRecord, plans, project.nowMs);
  const billed = [...fresh].filter((each) => {
    const eventClass = each.record.isDemoted ? 'context_signal' : each.record.eventClass;
    return eventClass === 'incident_signal' || (eventClass === 'context_signal' && plan !== 'free');
  }).length;
  if (billed > 0) {
    // Over the allowance too: the excess is what the next window begins with (account.md 6.4).
    await addUsage(transaction, project.organizationId, usageWindow.startMs, EVENTS_METER, billed);
    await addProjectUsage(transaction, projectId, EVENTS_METER, billed);
  }
  await insertRuleHits(transaction, countRuleHits(fresh));
  await addFates(transaction, projectId, countFates(events, fresh));
}

/** Matches of rules that kept their events; repetitions do not count (ingestion.md 5.3 step 7). */
function countRuleHits(fresh: ReadonlySet<ReadEvent>): RuleHits[] {
  const counts = new Map<string, RuleHits>();
  for (const { record, event } of fresh) {
    if (record.ruleId === null) continue;
    const known = counts.get(record.ruleId);
    if (known === undefined) {
      counts.set(record.ruleId, { ruleId: record.ruleId, hits: 1, matchedAtMs: event.receivedAtMs });
    } else {
      known.hits += 1;
      known.matchedAtMs = Math.max(known.matchedAtMs, event.receivedAtMs);
    }
  }
  return [...counts.values()];
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
