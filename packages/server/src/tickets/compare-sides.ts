import type { LinkSync } from '../notify/trackers/link-sync.ts';

/** The state of both sides when they were compared last. */
export interface Seen {
  isResolved: boolean;
  isClosed: boolean;
}

/** The current state of both sides. */
export interface Sides extends Seen {
  isWontFix: boolean;
}

/** The step that makes the sides agree. */
export type Step =
  | 'none'
  /** Changes the ticket. */
  | 'close'
  | 'reopen'
  /** Changes the incident. */
  | 'resolve_incident'
  | 'reopen_incident'
  | 'snooze_incident';

/**
 * Returns the step after a change of one side (docs/contract/team-workflow.md 7.4). A side has changed when it differs
 * from its last seen state, for whatever reason, so neither the order of notifications nor a repeated or lost one
 * matters, and our own change that comes back is no change. If both changed, the incident decides.
 */
export function nextStep(
  seen: Seen,
  now: Sides,
  sync: Omit<LinkSync, 'assignee' | 'comments' | 'notesSinceMs'>,
): Step {
  if (now.isResolved !== seen.isResolved) {
    if (now.isResolved === now.isClosed) return 'none';
    if (now.isResolved) return sync.closeOnResolve ? 'close' : 'none';
    return sync.reopenOnRegress ? 'reopen' : 'none';
  }
  if (now.isClosed === seen.isClosed || now.isClosed === now.isResolved) return 'none';
  if (!now.isClosed) return sync.resolveOnClose ? 'reopen_incident' : 'none';
  if (!now.isWontFix) return sync.resolveOnClose ? 'resolve_incident' : 'none';
  if (sync.wontFix === 'nothing') return 'none';
  return sync.wontFix === 'snooze' ? 'snooze_incident' : 'resolve_incident';
}
