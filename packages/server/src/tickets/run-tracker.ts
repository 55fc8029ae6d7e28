import { type OpenTracker, openTracker } from '../notify/trackers/open-trackers.queries.ts';
import type { Call } from '../notify/trackers/tracker-api.ts';
import { callsOf, TRACKER_APIS } from '../notify/trackers/tracker-apis.ts';
import { isOfOneTicket, TrackerFailure } from '../notify/trackers/tracker-call.ts';
import { readClock } from '../platform/db/read-clock.ts';
import { errorFields } from '../platform/error-fields.ts';
import { assignTicket } from './assign-ticket.ts';
import { findBackless } from './back-links.queries.ts';
import { copyNote } from './copy-note.ts';
import { createTicket, type TicketOptions } from './create-ticket.ts';
import { linkBack } from './link-back.ts';
import { moveTicket } from './move-ticket.ts';
import { findUncopied } from './note-comments.queries.ts';
import { FAILED_RUNS_MAX } from './refused-change.ts';
import { findUnsaid } from './said-events.queries.ts';
import { sayEvent } from './say-event.ts';
import { sayUnlinked } from './say-unlinked.ts';
import { settleTicket } from './settle-ticket.ts';
import { takeComments } from './take-comments.ts';
import {
  findByTickets,
  findMisassigned,
  findMoved,
  findPending,
  hasTickets,
  type ReadLink,
} from './tracked-links.queries.ts';
import { findUnlinked } from './unlinked-tickets.queries.ts';

/** Tickets that one run creates or moves of each. */
const TICKETS_PER_RUN = 10;
/** Tickets of one reading of which it is asked who closed them, so that all calls stay within ten a minute. */
const CLOSERS_PER_RUN = 3;
/** No call begins later, so that a run ends before its lease. */
const RUN_MS = 45_000;
/** Clocks of trackers may differ from ours by so much. */
const OVERLAP_MS = 300_000;

/** The outcome of the work on one tracker. */
export interface RunOutcome {
  tracker: OpenTracker;
  failure: TrackerFailure | null;
  /** True if the failure leaves it unknown whether a ticket was created. */
  isCreating: boolean;
  /** True if more work is due immediately. */
  isMoreLeft: boolean;
  /** True if more tickets have changed than one run reads. */
  isMoreToRead: boolean;
  /** Tickets can be read, and there are some. */
  isPolled: boolean;
  hasChanged: boolean;
  readUntilMs: number | null;
  /** The tag of the answer to the next reading, while nothing changes; null: there is none. */
  etag: string | null;
}

/** Does what there is to do with one tracker; null when it is gone or stopped. */
export async function runTracker(
  options: TicketOptions,
  trackerId: string,
  signal: AbortSignal,
): Promise<RunOutcome | null> {
  const { database, keys, outbound } = options;
  const tracker = await openTracker(database, keys, trackerId);
  if (tracker === null || tracker.isStopped) return null;
  const call = callsOf(outbound, tracker, signal);
  const outcome: RunOutcome = {
    ...{ tracker, failure: null, isCreating: false, isMoreLeft: false, isMoreToRead: false },
    ...{ isPolled: false, hasChanged: false, readUntilMs: null, etag: tracker.etag },
  };
  try {
    await work(options, tracker, call, outcome);
  } catch (error) {
    if (!(error instanceof TrackerFailure)) throw error;
    outcome.failure = error;
  }
  const isReadable = TRACKER_APIS[tracker.kind].readChanged !== null;
  outcome.isPolled = isReadable && (await hasTickets(database, trackerId));
  return outcome;
}

/** In this order, so that what changed there is known before anything is changed there. */
async function work(
  options: TicketOptions,
  tracker: OpenTracker,
  call: Call,
  outcome: RunOutcome,
): Promise<void> {
  const { database } = options;
  const { trackerId } = tracker;
  const run: Run = { tracker, outcome, endsAtMs: performance.now() + RUN_MS, isAnswering: false };
  await readTickets(options, tracker, call, run);
  const pending = await findPending(database, trackerId, TICKETS_PER_RUN);
  await workOnEach(run, pending, async (link, judged) => {
    const wasCreating = outcome.isCreating;
    outcome.isCreating = true;
    await createTicket(options, judged, call, link);
    outcome.isCreating = wasCreating;
  });
  const backless = await findBackless(database, trackerId, TICKETS_PER_RUN);
  await workOnEach(run, backless, (link, judged) => linkBack(options, judged, call, link));
  const moved = await findMoved(database, trackerId, TICKETS_PER_RUN);
  await workOnEach(run, moved, (link, judged) => moveTicket(options, judged, call, link));
  const misassigned = await findMisassigned(database, trackerId, TICKETS_PER_RUN);
  await workOnEach(run, misassigned, (link, judged) => assignTicket(options, judged, call, link));
  const notes = await findUncopied(database, trackerId, TICKETS_PER_RUN);
  await workOnEach(run, notes, (note, judged) => copyNote(options, judged, call, note));
  const unlinked = await findUnlinked(database, trackerId, TICKETS_PER_RUN);
  await workOnEach(run, unlinked, (ticket) => sayUnlinked(options, tracker, call, ticket));
  const events = await findUnsaid(database, trackerId, TICKETS_PER_RUN);
  await workOnEach(run, events, (event) => sayEvent(options, tracker, call, event));
  const isCut = performance.now() > run.endsAtMs;
  outcome.isMoreLeft ||=
    isCut ||
    [pending, backless, moved, misassigned, notes, unlinked, events].some(
      ({ length }) => length === TICKETS_PER_RUN,
    );
}

interface Run {
  tracker: OpenTracker;
  outcome: RunOutcome;
  endsAtMs: number;
  /** True if the latest request succeeded, so the tracker works. */
  isAnswering: boolean;
}

/**
 * Works on each while there is time. A failure of one does not hold up the others, unless two in a row fail: then
 * the tracker is at fault, and no ticket is abandoned for that.
 * @throws TrackerFailure what keeps the tracker from work
 */
async function workOnEach<Item>(
  run: Run,
  items: readonly Item[],
  workOn: (item: Item, judged: OpenTracker) => Promise<void>,
): Promise<void> {
  for (const item of items) {
    if (performance.now() > run.endsAtMs) return;
    try {
      await workOn(item, run.isAnswering ? run.tracker : { ...run.tracker, failures: 0 });
      run.isAnswering = true;
    } catch (error) {
      rememberFailure(run, error);
    }
  }
}

/** @throws the error, unless it is the failure of one ticket of a tracker that works */
function rememberFailure(run: Run, error: unknown): void {
  const { outcome } = run;
  const isAlone =
    error instanceof TrackerFailure && isOfOneTicket(error) && (run.isAnswering || outcome.failure === null);
  if (!isAlone) throw error;
  outcome.failure ??= error;
  run.isAnswering = false;
}

async function readTickets(
  options: TicketOptions,
  tracker: OpenTracker,
  call: Call,
  run: Run,
): Promise<void> {
  const { database } = options;
  const { outcome } = run;
  const { trackerId, kind, connection, readUntilMs } = tracker;
  const { readChanged } = TRACKER_APIS[kind];
  if (readChanged === null || !(await hasTickets(database, trackerId))) return;
  const nowMs = await readClock(database);
  const sinceMs = readUntilMs - OVERLAP_MS;
  const { tickets, untilMs, etag } = await readChanged(connection, call, sinceMs, tracker.etag);
  run.isAnswering = true;
  outcome.etag = etag;
  // The next reading asks the same, so that the tracker can answer it with that nothing changed.
  if (etag !== null) return;
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  let isHeld = false;
  let closersLeft = CLOSERS_PER_RUN;
  for (const link of await findByTickets(database, trackerId, [...byId.keys()])) {
    const ticket = byId.get(link.remoteId);
    if (ticket === undefined) continue;
    if (ticket.isClosed && !link.isClosed && ticket.closedBy === undefined && untilMs === null) {
      closersLeft -= 1;
      ticket.closedBy = closersLeft < 0 ? null : await closerOf(options, tracker, call, link);
    }
    if (await settleTicket(options, link, ticket)) outcome.hasChanged = true;
    if (performance.now() > run.endsAtMs) {
      // The next run reads the same again.
      outcome.isMoreLeft = true;
      return;
    }
    try {
      await takeComments(options, tracker, call, link, ticket);
    } catch (error) {
      rememberFailure(run, error);
      // Its comments are read again for a while, and then with its next change.
      isHeld ||= tracker.failures < FAILED_RUNS_MAX;
    }
  }
  if (isHeld) return;
  // The next reading begins earlier by the overlap, so a cut one continues after it.
  outcome.readUntilMs = untilMs === null ? nowMs : untilMs + OVERLAP_MS;
  outcome.isMoreToRead = untilMs !== null;
}

/** The name of the person who closed a ticket; null where the tracker does not say it, which holds up nothing. */
async function closerOf(
  { log }: TicketOptions,
  { kind, connection }: OpenTracker,
  call: Call,
  { linkId, remoteId }: ReadLink,
): Promise<string | null> {
  const { readCloser } = TRACKER_APIS[kind];
  try {
    return (await readCloser?.(connection, call, remoteId)) ?? null;
  } catch (error) {
    if (!(error instanceof TrackerFailure)) throw error;
    log.info({ linkId, ...errorFields(error) }, 'a tracker did not say who closed a ticket');
    return null;
  }
}
