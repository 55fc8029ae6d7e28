import { resolveIncident } from '@culprit/evidence/incidents/incident-state';
import type { Transaction } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { insertLifecycleEvents } from '../../ledger/lifecycle.queries.ts';
import { type LockedIncident, lockIncidents, updateIncidents } from './locked-incidents.queries.ts';

/**
 * Resolves incidents of availability checks and scheduled jobs that recovered, with their ledger rows
 * (docs/contract/incidents.md 1.4, T14).
 * @returns how many were resolved
 */
export async function resolveRecovered(
  transaction: Transaction,
  projectId: string,
  incidentIds: readonly string[],
): Promise<number> {
  const ledgerData = () => ({ because: 'recovery' }) as const;
  return (await resolveUnattended(transaction, projectId, incidentIds, { ledgerData })).length;
}

/**
 * Resolves incidents without a person, with their ledger rows. Those that are resolved already, or not there, are left
 * alone.
 * @param options.ledgerData what resolves an incident, for the history
 * @param options.mayResolve whether a locked incident may still be resolved
 * @returns those that were resolved
 */
export async function resolveUnattended(
  transaction: Transaction,
  projectId: string,
  incidentIds: readonly string[],
  options: {
    ledgerData: (incidentId: string) => { because: 'recovery' | 'silence' | 'fix' } & object;
    mayResolve?: (incident: LockedIncident, nowMs: number) => boolean;
  },
): Promise<string[]> {
  const { ledgerData, mayResolve = () => true } = options;
  const held = await lockIncidents(transaction, incidentIds);
  // Read after the locks are held, so that a later resolve never has an earlier time.
  const nowMs = await readClock(transaction);
  const resolved = held.flatMap((incident) => {
    const state = mayResolve(incident, nowMs) ? resolveIncident(incident.state, null, nowMs) : null;
    return state === null ? [] : [{ ...incident, state }];
  });
  updateIncidents(transaction, resolved);
  insertLifecycleEvents(
    transaction,
    resolved.map(({ incidentId }) => ({
      projectId,
      incidentId,
      kind: 'incident.resolved',
      data: ledgerData(incidentId),
    })),
  );
  return resolved.map(({ incidentId }) => incidentId);
}
