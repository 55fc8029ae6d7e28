import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { reopenIncident, resolveIncident } from '@culprit/evidence/incidents/incident-state';
import { NO_DEPLOY } from '@culprit/evidence/incidents/regression';
import { escalationCount } from '@culprit/evidence/incidents/snooze';
import type { Ticket } from '../notify/trackers/tracker-api.ts';
import {
  type LockedIncident,
  lockIncidents,
  updateIncidents,
} from '../pipeline/incidents/processing/locked-incidents.queries.ts';
import { settleResolutions } from '../pipeline/incidents/releases/resolutions.queries.ts';
import { findHours, saveSnoozes } from '../pipeline/incidents/triage/snooze.queries.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../pipeline/ledger/lifecycle.queries.ts';
import type { Database, Transaction } from '../platform/db/database.ts';
import { readClock } from '../platform/db/read-clock.ts';
import { nextStep, type Sides, type Step } from './compare-sides.ts';
import { type CrossingOptions, mayCross } from './cross-link.ts';
import { saveSeen, saveTicket, saveTicketAssignee } from './links.queries.ts';
import { takeAssignee } from './take-assignee.ts';
import { type HeldLink, lockLink, saveReported } from './tracked-links.queries.ts';

const DAY_MS = 86_400_000;
const WONT_FIX_DAYS = 90;
const BASELINE_DAYS = 7;

/**
 * Writes what a ticket is now, and lets its incident follow where the ticket has changed, in one transaction with the
 * ledger (docs/contract/team-workflow.md 7.4). A change of the incident itself stays for the tracker.
 * @param reportedAtMs when it was that: nothing happens when a later state is known, because lists of trackers can be
 * behind what the same tracker answered to our change; null: it was read now
 * @returns whether the ticket has changed
 */
export async function settleTicket(
  options: CrossingOptions & { database: Database },
  { linkId, incidentId }: { linkId: string; incidentId: string },
  ticket: Ticket,
  reportedAtMs: number | null = ticket.updatedAtMs,
): Promise<boolean> {
  const settled = await options.database.transaction(async (transaction) => {
    const [incident] = await lockIncidents(transaction, [incidentId]);
    const link = await lockLink(transaction, linkId);
    if (incident === undefined || link === null) return false;
    if (link.incidentId !== incidentId) return { movedTo: link.incidentId };
    if (reportedAtMs !== null) {
      if (reportedAtMs < (link.reportedAtMs ?? 0)) return false;
      await saveReported(transaction, linkId, reportedAtMs);
    }
    await saveTicket(transaction, linkId, ticket);
    const hasChanged = link.isClosed !== ticket.isClosed;
    if (hasChanged) insertLifecycleEvents(transaction, [stateChange(link, incidentId, ticket)]);
    const isReassigned =
      ticket.assignee !== undefined && (ticket.assignee?.id ?? null) !== link.ticketAssignee;
    if (isReassigned) await saveTicketAssignee(transaction, linkId, ticket.assignee?.id ?? null);
    if (link.isPaused) return hasChanged;
    if (isReassigned && link.sync.assignee === 'from_tracker') {
      await takeAssignee(transaction, options, { link, incidentId, ticket });
    }
    const now: Sides = {
      isResolved: incident.state.status === 'resolved',
      isClosed: ticket.isClosed,
      isWontFix: ticket.isWontFix,
    };
    const step = nextStep(link.seen, now, link.sync);
    if (step === 'close' || step === 'reopen') return hasChanged;
    if (step !== 'none' && !(await mayCross(transaction, options, linkId))) return hasChanged;
    await follow(transaction, incident, link, ticket, step);
    const isResolved =
      step === 'resolve_incident' || (step !== 'reopen_incident' && incident.state.status === 'resolved');
    await saveSeen(transaction, linkId, { isResolved, isClosed: now.isClosed });
    return hasChanged;
  });
  if (typeof settled === 'boolean') return settled;
  // Its incident was merged or split since the link was read.
  return await settleTicket(options, { linkId, incidentId: settled.movedTo }, ticket, reportedAtMs);
}

/** The ledger row of a ticket whose state is another one now. */
export function stateChange(
  { linkId, projectId }: Pick<HeldLink, 'linkId' | 'projectId'>,
  incidentId: string,
  ticket: Pick<Ticket, 'key' | 'isClosed' | 'closedBy'>,
): LifecycleEvent {
  const link_state = ticket.isClosed ? 'closed' : 'open';
  const data = { link_id: linkId, ticket: ticket.key, link_state, ...closerOf(ticket) };
  return { projectId, incidentId, kind: 'incident.link_state_changed', data };
}

/** Returns the name of the person who closed a ticket, in the form of the ledger. */
function closerOf({ isClosed, closedBy }: Pick<Ticket, 'isClosed' | 'closedBy'>): object {
  return isClosed && typeof closedBy === 'string' ? { closed_by: closedBy } : {};
}

/** Changes a held incident as its ticket was. */
async function follow(
  transaction: Transaction,
  incident: LockedIncident,
  { projectId, linkId, key }: HeldLink,
  ticket: Ticket,
  step: Step,
): Promise<void> {
  const { incidentId } = incident;
  // Read after the locks are held, so that a later change never has an earlier time.
  const nowMs = await readClock(transaction);
  const data = { because: 'tracker', link_id: linkId, ticket: key, ...closerOf(ticket) };
  if (step === 'resolve_incident') {
    const state = resolveIncident(incident.state, null, nowMs);
    if (state === null) return;
    updateIncidents(transaction, [{ ...incident, state }]);
    insertLifecycleEvents(transaction, [{ projectId, incidentId, kind: 'incident.resolved', data }]);
  } else if (step === 'reopen_incident') {
    const state = reopenIncident(incident.state, nowMs);
    if (state === null) return;
    updateIncidents(transaction, [{ ...incident, state }]);
    settleResolutions(transaction, [{ incidentId, isEnded: true, version: null, oldReleases: [] }]);
    const event = { ...data, ...NO_DEPLOY };
    insertLifecycleEvents(transaction, [{ projectId, incidentId, kind: 'incident.reopened', data: event }]);
  } else if (step === 'snooze_incident') {
    const hours = await findHours(transaction, [incidentId], nowMs - BASELINE_DAYS * DAY_MS);
    const occurred = [...(hours.get(incidentId)?.values() ?? [])].reduce((sum, each) => sum + each, 0);
    const untilMs = nowMs + WONT_FIX_DAYS * DAY_MS;
    const reason = `${key} was closed as not planned`;
    saveSnoozes(transaction, [
      {
        ...{ incidentId, projectId, untilMs, setAtMs: nowMs, userId: null, reason },
        countAtStart: incident.state.occurrenceCount,
        ...{ atCount: null, atUsers: null, afterDeployMs: null },
        atHourly: escalationCount(occurred),
      },
    ]);
    insertLifecycleEvents(transaction, [
      {
        projectId,
        incidentId,
        kind: 'incident.snoozed',
        data: { ...data, until: formatTimestamp(untilMs), reason },
      },
    ]);
  }
}
