import { resolveIncident } from '@culprit/evidence/incidents/incident-state';
import type { Transaction } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { insertLifecycleEvents } from '../../ledger/lifecycle.queries.ts';
import { lockIncidents, updateIncidents } from './locked-incidents.queries.ts';

/**
 * Resolves incidents of availability checks that recovered, with their ledger rows (docs/contract/incidents.md 1.4,
 * T14). Those that are resolved already, or not there, are left alone.
 * @returns how many were resolved
 */
export async function resolveRecovered(
  transaction: Transaction,
  projectId: string,
  incidentIds: readonly string[],
): Promise<number> {
  const held = await lockIncidents(transaction, incidentIds);
  // Behind the locks: whoever resolves later must not do so at an earlier moment.
  const nowMs = await readClock(transaction);
  const resolved = held.flatMap((incident) => {
    const state = resolveIncident(incident.state, null, nowMs);
    return state === null ? [] : [{ ...incident, state }];
  });
  updateIncidents(transaction, resolved);
  insertLifecycleEvents(
    transaction,
    resolved.map(({ incidentId }) => ({
      projectId,
      incidentId,
      kind: 'incident.resolved',
      data: { actor: 'availability' },
    })),
  );
  return resolved.length;
}
