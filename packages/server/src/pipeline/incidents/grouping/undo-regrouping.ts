import type { Regrouping } from '@culprit/contract/incidents/regroupings';
import type { Logger } from 'pino';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { recordAudit } from '../../../workspace/audit/record-audit.ts';
import { changeProject, NO_PROJECT_CHANGE } from '../../../workspace/projects/projects.queries.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { lockIncidents } from '../processing/locked-incidents.queries.ts';
import type { RegroupingCaller } from './apply-regrouping.ts';
import { readGroup } from './groups.queries.ts';
import { regroup } from './regroup.ts';
import { findNewestRegrouping, findRegrouped, lockStackRules, markUndone } from './regroupings.queries.ts';
import { lockSlotsOf } from './slot-locks.queries.ts';
import { takeApart } from './take-apart.ts';

/**
 * Undoes the newest regrouping of a project in one transaction: the incidents that it merged are restored with their
 * counts, the keys that it led are removed, and the stack rules are as before unless they were changed since.
 * @throws Problem `regrouping_not_found`, `grouping_changed` for one that is not the newest
 */
export async function undoRegrouping(
  { database, log }: { database: Database; log: Logger },
  caller: RegroupingCaller,
  regroupingId: string,
): Promise<Regrouping> {
  const { projectId, userId } = caller;
  const undone = await database.transaction(async (transaction) => {
    const rules = await lockStackRules(transaction, projectId);
    if (rules === null) throw new Problem('project_not_found');
    const newest = await findNewestRegrouping(transaction, projectId);
    const regrouping = await markUndone(transaction, projectId, regroupingId, userId);
    if (regrouping === null) throw new Problem('regrouping_not_found');
    if (newest?.regrouping_id !== regroupingId) throw new Problem('grouping_changed');
    const lifecycle = await takeBack(transaction, { projectId, userId, regroupingId });
    if (JSON.stringify(rules) === JSON.stringify(regrouping.stack_rules)) {
      await changeProject(transaction, projectId, {
        ...NO_PROJECT_CHANGE,
        stackRules: regrouping.stack_rules_before,
      });
    }
    insertLifecycleEvents(transaction, lifecycle);
    return regrouping;
  });
  await recordAudit(
    database,
    { log, clientAddress: caller.clientAddress },
    {
      action: 'project.regrouping_undone',
      actorUserId: userId,
      projectId,
      subject: `project:${projectId}`,
      data: { regrouping_id: regroupingId },
    },
  );
  return undone;
}

async function takeBack(
  transaction: Transaction,
  by: { projectId: string; userId: string | null; regroupingId: string },
): Promise<LifecycleEvent[]> {
  const { projectId, userId, regroupingId } = by;
  const roots = await findRegrouped(transaction, regroupingId);
  // Slots first, then incidents in the order of their ids, as workers hold them.
  await lockSlotsOf(transaction, roots);
  const known = new Set(roots);
  for (const rootId of roots) {
    for (const { incidentId } of (await readGroup(transaction, rootId)).incidents) known.add(incidentId);
  }
  const held = await lockIncidents(transaction, [...known]);
  const led = await findRegrouped(transaction, regroupingId);
  if (led.join() !== roots.join()) throw new Problem('grouping_changed');
  const nowMs = await readClock(transaction);
  const lifecycle: LifecycleEvent[] = [];
  for (const rootId of roots) {
    const group = await readGroup(transaction, rootId);
    const parts = regroup(group, { slots: new Set(), incidentIds: new Set(), regroupingId });
    const data = { user_id: userId, regrouping_id: regroupingId };
    const told = { data, nowMs, isChanged: false };
    lifecycle.push(...(await takeApart(transaction, { projectId, rootId, held, parts }, told)));
  }
  return lifecycle;
}
