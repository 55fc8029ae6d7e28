import { newUuid } from '../../platform/ids.ts';
import { findDue } from './find-heartbeat.queries.ts';
import type { LockedHeartbeat } from './locked-heartbeat.queries.ts';
import { type RecordingOptions, recordVerdict, type Verdict } from './record-verdict.ts';
import { findLateRun, type StoredRun } from './runs.queries.ts';
import { nextTime } from './schedule.ts';
import { wasAway, writeWatch } from './watch.queries.ts';

const MINUTE_MS = 60_000;
const HEARTBEATS_PER_STEP = 100;

/**
 * Judges some heartbeats whose deadline is past: a run that has no end, or a slot without a run.
 * @returns whether there may be more
 */
export async function judgeHeartbeats(options: RecordingOptions): Promise<boolean> {
  await writeWatch(options.database, 'worker');
  const due = await findDue(options.database, HEARTBEATS_PER_STEP);
  for (const heartbeat of due) {
    const missedId = newUuid();
    await recordVerdict<null>(options, heartbeat, async (transaction, held) => {
      if (!held.settings.isEnabled) return null;
      const late = await findLateRun(transaction, held);
      if (late !== null) return timedOut(held, late);
      const deadlineMs = held.expectedAtMs + held.settings.marginMinutes * MINUTE_MS;
      if (deadlineMs > held.nowMs) return null;
      return missed(held, missedId, await wasAway(transaction, held.expectedAtMs, held.nowMs));
    });
  }
  return due.length === HEARTBEATS_PER_STEP;
}

function timedOut(held: LockedHeartbeat, { checkInId, startedAtMs, traceId }: StoredRun): Verdict<null> {
  const { nowMs, settings } = held;
  const run = {
    checkInId,
    status: 'timeout' as const,
    startedAtMs,
    endedAtMs: null,
    timeoutAtMs: null,
    durationMs: null,
    release: null,
    traceId,
    output: null,
  };
  return {
    after: { ...held, lastStatus: 'timeout' },
    run,
    outcome: {
      kind: 'timeout',
      sentence: `still running after ${minutes(settings.maxRuntimeMinutes)}`,
      occurredAtMs: nowMs,
      checkInId,
      traceId,
      release: null,
      output: null,
      expectedAtMs: null,
    },
    result: null,
  };
}

/** @param isOurFault the service could not receive, or not judge, in that time: nothing follows from a silence then */
function missed(held: LockedHeartbeat, checkInId: string, isOurFault: boolean): Verdict<null> {
  const { nowMs, settings, expectedAtMs } = held;
  const status = isOurFault ? ('unknown' as const) : ('missed' as const);
  const marginMs = settings.marginMinutes * MINUTE_MS;
  // If several slots have passed, the first is judged; the next is the first one whose deadline is in the future.
  let next = nextTime(settings.schedule, settings.timezone, expectedAtMs);
  if (next !== null && next + marginMs <= nowMs) {
    next = nextTime(settings.schedule, settings.timezone, nowMs - marginMs);
  }
  return {
    after: {
      ...held,
      lastStatus: status,
      slotOpenedAtMs: nowMs,
      // A crontab without a further time is looked at again in a day.
      expectedAtMs: next ?? nowMs + 1440 * MINUTE_MS,
    },
    run: {
      checkInId,
      status,
      startedAtMs: expectedAtMs,
      endedAtMs: nowMs,
      timeoutAtMs: null,
      durationMs: null,
      release: null,
      traceId: null,
      output: null,
    },
    outcome: isOurFault
      ? null
      : {
          kind: 'missed',
          sentence: `did not start within ${minutes(settings.marginMinutes)} of ${placeOf(held)}`,
          occurredAtMs: nowMs,
          checkInId,
          traceId: null,
          release: null,
          output: null,
          expectedAtMs,
        },
    result: null,
  };
}

function minutes(count: number): string {
  return count === 1 ? '1 minute' : `${count} minutes`;
}

function placeOf({ expectedAtMs, settings: { timezone } }: LockedHeartbeat): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, hour: '2-digit', minute: '2-digit' });
  return `${time.format(expectedAtMs)} ${timezone}`;
}
