import type { Logger } from 'pino';
import {
  claimTrackers,
  findMaker,
  recordResult,
  releaseTrackers,
  TRACKER_LEASE_MS,
  type TrackerClaim,
  type TrackerResult,
} from '../notify/trackers/open-trackers.queries.ts';
import { stoppedTrackerMail } from '../notify/trackers/stopped-tracker-mail.ts';
import { errorFields } from '../platform/error-fields.ts';
import { queueMail } from '../platform/mail/queue-mail.ts';
import { type SendLoop, startSendLoop } from '../platform/row-queue/send-loop.ts';
import type { TicketOptions } from './create-ticket.ts';
import { type RunOutcome, runTracker } from './run-tracker.ts';

const MINUTE_MS = 60_000;
/**
 * The interval between two readings of a tracker that sends no notifications, and of one that does or where nothing
 * changes.
 */
const POLL_MS = MINUTE_MS;
const RARE_POLL_MS = 10 * MINUTE_MS;
/** A reading continues after this time, so that three calls of each run are fewer than ten in a minute. */
const READ_ON_MS = 20_000;
const DAY_MS = 86_400_000;
/** After failures, the last one repeating. */
const DELAYS_MS = [10_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS] as const;
/** An answer that was lost may be on its way: after this time, the ticket that it created can be found. */
const CREATE_DELAY_MS = 30_000;

interface TrackerWorkOptions extends TicketOptions {
  mailKey: Buffer;
  /** Multiplies the delays; 1 outside tests. */
  retryScale: number;
  log: Logger;
}

/** Null: the result could not be recorded; the tracker is tried again. */
type Outcome = { run: RunOutcome | null; isFailedHere: boolean };

/** Creates and moves tickets, and reads what became of them, until stopped; each tracker by one process at a time. */
export function startTrackers(options: TrackerWorkOptions): SendLoop {
  const { database, log } = options;
  return startSendLoop<
    TrackerClaim & { receiverId: string; latencyClass: 'quick'; leaseMs: number },
    Outcome
  >(
    {
      async claim(_after, capacity) {
        const claims = await claimTrackers(database, capacity.all);
        const attempts = claims.map((claim) => ({
          ...claim,
          receiverId: claim.trackerId,
          latencyClass: 'quick' as const,
          leaseMs: TRACKER_LEASE_MS,
        }));
        return { attempts, continueAfter: null };
      },
      async send({ trackerId }, abort) {
        try {
          return { run: await runTracker(options, trackerId, abort), isFailedHere: false };
        } catch (error) {
          if (abort.aborted) return null;
          log.error(
            { trackerId, ...errorFields(error) },
            'work on a tracker failed because of an internal error',
          );
          return { run: null, isFailedHere: true };
        }
      },
      record: (claim, outcome) => record(options, claim, outcome),
      release: (claims) => releaseTrackers(database, claims),
      describe: ({ trackerId }) => ({ trackerId }),
    },
    { log },
  );
}

async function record(
  options: TrackerWorkOptions,
  claim: TrackerClaim,
  { run, isFailedHere }: Outcome,
): Promise<number | null> {
  const { database, mailKey, appUrl, retryScale } = options;
  const result = run === null ? resultWithoutRun(isFailedHere) : resultOf(run, Date.now());
  const waitMs = result.waitMs === null ? null : result.waitMs * retryScale;
  await database.transaction(async (transaction) => {
    const isOurs = await recordResult(transaction, claim, { ...result, waitMs });
    if (!isOurs || !result.isStopped || run === null) return;
    const maker = await findMaker(transaction, claim.trackerId);
    if (maker === null) return;
    await queueMail(transaction, mailKey, { to: maker.email, ...stoppedTrackerMail(maker, appUrl) });
  });
  return waitMs;
}

function resultWithoutRun(isFailedHere: boolean): TrackerResult {
  return {
    error: isFailedHere ? 'internal_error' : null,
    failures: 0,
    isStopped: false,
    readUntilMs: null,
    etag: null,
    hasChanged: false,
    waitMs: isFailedHere ? RARE_POLL_MS : null,
    isAskedToWait: isFailedHere,
  };
}

/** Returns the result to record after a run, with the time until the next one. */
export function resultOf(run: RunOutcome, nowMs: number): TrackerResult {
  const { tracker, failure, hasChanged, readUntilMs, etag } = run;
  const common = { hasChanged, readUntilMs, etag, isStopped: failure?.kind === 'refused' };
  if (failure === null) {
    const waitMs = run.isMoreLeft ? 0 : run.isPolled ? pollMs(run, nowMs) : null;
    return { ...common, error: null, failures: 0, waitMs, isAskedToWait: false };
  }
  const failures = tracker.failures + 1;
  const delayMs = DELAYS_MS[Math.min(failures, DELAYS_MS.length) - 1] ?? RARE_POLL_MS;
  const leastMs = run.isCreating ? CREATE_DELAY_MS : 0;
  const waitMs =
    failure.kind === 'unavailable' || failure.kind === 'limited'
      ? Math.max(leastMs, failure.waitMs ?? delayMs)
      : RARE_POLL_MS;
  return { ...common, error: failure.word, failures, waitMs, isAskedToWait: true };
}

function pollMs({ tracker, hasChanged, isMoreToRead }: RunOutcome, nowMs: number): number {
  if (isMoreToRead) return READ_ON_MS;
  const isQuiet = !hasChanged && tracker.changedAtMs < nowMs - DAY_MS;
  return tracker.isReceiving || isQuiet ? RARE_POLL_MS : POLL_MS;
}
