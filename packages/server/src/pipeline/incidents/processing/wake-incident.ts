import type { WakeCause } from '@culprit/contract/incidents/triage-words';
import { type WakeFacts, wakeCause } from '@culprit/evidence/incidents/snooze';
import type { LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import type { LockedIncident } from './locked-incidents.queries.ts';

/** Wakes a held incident after signals were counted, where they do; its ledger row, or null. */
export function wakeBySignals(
  incident: LockedIncident,
  projectId: string,
  facts: Omit<WakeFacts, 'occurrenceCount' | 'affectedUsers'>,
): LifecycleEvent | null {
  // Nearly all are awake.
  if (incident.snooze === null || incident.state.status === 'resolved') return null;
  const { affectedUsers, state } = incident;
  const because = wakeCause(incident.snooze, {
    ...facts,
    affectedUsers,
    occurrenceCount: state.occurrenceCount,
  });
  if (because === null) return null;
  if (because === 'escalation') incident.escalatedAtMs = facts.nowMs;
  return wake(incident, projectId, because, {});
}

/** Ends the snooze of a held incident; its ledger row. */
export function wake(
  incident: LockedIncident,
  projectId: string,
  because: WakeCause,
  data: object,
): LifecycleEvent {
  const { incidentId, state, snooze } = incident;
  incident.isWoken = true;
  const keptSilent = Math.max(0, state.occurrenceCount - (snooze?.countAtStart ?? state.occurrenceCount));
  return {
    projectId,
    incidentId,
    kind: 'incident.woke',
    data: { ...data, because, kept_silent: keptSilent },
  };
}
