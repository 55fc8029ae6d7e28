import { insertRuleHits, type RuleHits } from '../../../capture/rule-hits.queries.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { countEvents } from '../../../workspace/billing/count-usage.ts';
import { EVENTS_METER } from '../../../workspace/billing/meters.ts';
import type { PlanSettings } from '../../../workspace/billing/plan.ts';
import { planInForce } from '../../../workspace/billing/plan-in-force.ts';
import { addProjectUsage } from '../../../workspace/projects/project-usage.queries.ts';
import { addFates, type ProcessingProject } from './processing.queries.ts';
import type { ReadEvent } from './read-batches.ts';

const HOUR_MS = 3_600_000;

/** The outcome of an event; each event has exactly one. */
type WorkerFate = 'processed' | 'demoted' | 'duplicate' | 'dropped' | 'sampled_out';

/** The events of one token and hour that had one outcome. */
export interface CountedFate {
  tokenId: string;
  hourMs: number;
  fate: WorkerFate;
  /** The rule that kept them away. */
  ruleId: string | null;
  events: number;
}

/**
 * Counts outcomes and the monthly allowance, of events that clients sent. Last in the transaction: these rows are
 * shared by many.
 * @returns the outcomes, by token and hour
 */
export async function accountEvents(
  transaction: Transaction,
  project: ProcessingProject,
  events: readonly ReadEvent[],
  fresh: ReadonlySet<ReadEvent>,
  plans: PlanSettings,
): Promise<CountedFate[]> {
  const { projectId, organizationId } = project;
  const { plan, usageWindow, limits } = planInForce(project.planRecord, plans, project.nowMs);
  const billed = [...fresh].filter((each) => {
    if (each.tokenId === null || each.keptAway !== null) return false;
    const eventClass = each.record.isDemoted ? 'context_signal' : each.record.eventClass;
    return eventClass === 'incident_signal' || (eventClass === 'context_signal' && plan !== 'free');
  }).length;
  if (billed > 0) {
    // Over the allowance too: the excess is what the next window begins with (docs/contract/account.md 6.4).
    await countEvents(transaction, { organizationId, usageWindow, limits }, billed);
    addProjectUsage(transaction, projectId, EVENTS_METER, billed);
  }
  insertRuleHits(transaction, countRuleHits(fresh));
  const fates = countFates(events, fresh);
  addFates(transaction, projectId, fates);
  return fates;
}

/** Matches of rules whose events were accepted; repetitions do not count (docs/contract/ingestion.md 5.3 step 7). */
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

function countFates(events: readonly ReadEvent[], fresh: ReadonlySet<ReadEvent>): CountedFate[] {
  const counts = new Map<string, CountedFate>();
  for (const each of events) {
    if (each.tokenId === null) continue;
    const fate = fateOf(each, fresh);
    const ruleId = each.keptAway === fate ? each.record.ruleId : null;
    const hourMs = Math.floor(each.event.receivedAtMs / HOUR_MS) * HOUR_MS;
    const key = `${each.tokenId} ${hourMs} ${fate} ${ruleId}`;
    const known = counts.get(key);
    if (known !== undefined) known.events += 1;
    else counts.set(key, { tokenId: each.tokenId, hourMs, fate, ruleId, events: 1 });
  }
  return [...counts.values()];
}

function fateOf(each: ReadEvent, fresh: ReadonlySet<ReadEvent>): WorkerFate {
  if (!fresh.has(each)) return 'duplicate';
  return each.keptAway ?? (each.record.isDemoted ? 'demoted' : 'processed');
}
