import type { Regrouping } from '@culprit/contract/incidents/regroupings';
import { readStackRules } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import type { Logger } from 'pino';
import type { Transaction } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { newUuid } from '../../../platform/ids.ts';
import { recordAudit } from '../../../workspace/audit/record-audit.ts';
import { changeProject, NO_PROJECT_CHANGE } from '../../../workspace/projects/projects.queries.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { lockIncidents } from '../processing/locked-incidents.queries.ts';
import { findMergedInto } from './aliases.queries.ts';
import { compareGroups } from './compare-groups.ts';
import { groupHistory, type HistoryBounds, type HistoryParts } from './group-history.ts';
import { mergeInto } from './merge-into.ts';
import { joinPlan, type PlannedKey, planRegrouping } from './plan-regrouping.ts';
import {
  findLeadsOf,
  findServicesOf,
  insertRegrouping,
  leadNewKeys,
  leadText,
  lockStackRules,
} from './regroupings.queries.ts';

/** The resources of a regrouping. */
export interface RegroupingParts extends HistoryParts {
  log: Logger;
}

/** The caller of a regrouping; no person for an operator at the machine. */
export interface RegroupingCaller {
  projectId: string;
  userId: string | null;
  clientAddress: string | null;
}

/** New keys that one regrouping leads at most, those with most events first. */
const KEYS_MAX = 2000;

/**
 * Gives a project other stack rules, or keeps those that it has, and lets the incidents of the last hours continue by
 * them and by the fingerprint in force, all in one transaction: new keys lead to the incidents whose events have them,
 * and incidents with one key become one, the oldest. No count moves (docs/contract/grouping.md 8).
 * @throws Problem `grouping_changed` when rules or merges changed while history was read
 */
export async function applyRegrouping(
  parts: RegroupingParts,
  caller: RegroupingCaller,
  wanted: { stackRules: readonly string[] | null; hours: number; bounds: HistoryBounds },
): Promise<Regrouping> {
  const { database, log } = parts;
  const { projectId, userId } = caller;
  const before = await lockStackRules(database, projectId);
  if (before === null) throw new Problem('project_not_found');
  const stackRules = wanted.stackRules?.map((line) => line.trim()) ?? before;
  const { events, isComplete } = await groupHistory(
    parts,
    { projectId, hours: wanted.hours, bounds: wanted.bounds },
    readStackRules(before),
    { stackRules: readStackRules(stackRules) },
  );
  const plan = planRegrouping(events);
  const regroupingId = newUuid();
  const made = await database.transaction(async (transaction) => {
    const now = await lockStackRules(transaction, projectId);
    if (now === null) throw new Problem('project_not_found');
    if (JSON.stringify(now) !== JSON.stringify(before)) throw new Problem('grouping_changed');
    const { lifecycle, ...counts } = await leadToPlan(
      transaction,
      { projectId, userId, regroupingId },
      plan.slice(0, KEYS_MAX),
    );
    await changeProject(transaction, projectId, { ...NO_PROJECT_CHANGE, stackRules });
    const regrouping = await insertRegrouping(transaction, {
      regrouping_id: regroupingId,
      projectId,
      userId,
      stack_rules_before: before,
      stack_rules: stackRules,
      hours: wanted.hours,
      ...counts,
      split_incidents: compareGroups(events, 0).splits.length,
      events_seen: events.length,
      is_complete: isComplete && plan.length <= KEYS_MAX,
    });
    insertLifecycleEvents(transaction, lifecycle);
    return regrouping;
  });
  await recordAudit(
    database,
    { log, clientAddress: caller.clientAddress },
    {
      action: 'project.regrouped',
      actorUserId: userId,
      projectId,
      subject: `project:${projectId}`,
      data: { regrouping_id: regroupingId, merged_incidents: made.merged_incidents, led_keys: made.led_keys },
    },
  );
  return made;
}

async function leadToPlan(
  transaction: Transaction,
  by: { projectId: string; userId: string | null; regroupingId: string },
  planned: readonly PlannedKey[],
): Promise<{ lifecycle: LifecycleEvent[]; merged_incidents: number; led_keys: number }> {
  const { projectId, userId, regroupingId } = by;
  const services = await findServicesOf(transaction, projectId, [
    ...new Set(planned.flatMap(({ incidentIds }) => incidentIds)),
  ]);
  const plan = planned.flatMap((each) => {
    const incidentIds = each.incidentIds.filter((id) => services.has(id));
    const serviceId = services.get(incidentIds[0] ?? '');
    return serviceId === undefined ? [] : [{ ...each, incidentIds, serviceId }];
  });
  const leads = await findLeadsOf(transaction, plan);
  const whole = plan.map((each) => {
    // One that history does not show has the new key already, so that its next event would join it.
    const lead = leads.get(leadText(each.serviceId, each.key));
    const isUnseen = lead !== undefined && !services.has(lead);
    return isUnseen ? { ...each, incidentIds: [...each.incidentIds, lead] } : each;
  });
  const groups = joinPlan(whole);
  const heldIds = [...new Set(groups.flatMap(({ incidentIds }) => incidentIds))];
  const held = new Map(
    (await lockIncidents(transaction, heldIds)).map((incident) => [incident.incidentId, incident]),
  );
  // Another caller may have merged some before they were held here.
  if ((await findMergedInto(transaction, heldIds)).size > 0) throw new Problem('grouping_changed');
  const nowMs = await readClock(transaction);
  const lifecycle: LifecycleEvent[] = [];
  let [mergedIncidents, ledKeys] = [0, 0];
  for (const { incidentIds, keys } of groups) {
    const [oldest, ...others] = incidentIds
      .flatMap((id) => held.get(id) ?? [])
      .toSorted(
        (a, b) => a.state.firstSeenAtMs - b.state.firstSeenAtMs || (a.incidentId < b.incidentId ? -1 : 1),
      );
    if (oldest === undefined) continue;
    const { serviceId, incidentId } = oldest;
    if (others.length > 0) {
      lifecycle.push(
        ...(await mergeInto(transaction, projectId, { oldest, others, by: { userId, regroupingId }, nowMs })),
      );
      mergedIncidents += others.length;
    }
    const fresh = keys.filter((key) => !leads.has(leadText(serviceId, key)));
    if (fresh.length === 0) continue;
    ledKeys += await leadNewKeys(transaction, {
      projectId,
      serviceId,
      incidentId,
      keys: fresh,
      regroupingId,
    });
  }
  return { lifecycle, merged_incidents: mergedIncidents, led_keys: ledKeys };
}
