import { newUuid } from '../../platform/ids.ts';
import type { LockedHeartbeat } from './locked-heartbeat.queries.ts';
import { type RecordingOptions, recordVerdict, type Verdict } from './record-verdict.ts';
import { findOpenRun, findRun, type RunChange, type StoredRun } from './runs.queries.ts';
import { nextTime } from './schedule.ts';

const MINUTE_MS = 60_000;
/** The limit of the column. */
export const DURATION_MS_MAX = 24 * 86_400_000;
/** The limit of each heartbeat, which is one job in one environment. */
const CHECK_INS_A_MINUTE = 6;
/** The id that Sentry's clients send for the latest run without an end. */
const LATEST = '00000000-0000-0000-0000-000000000000';

/** A job's report about itself. */
export interface CheckIn {
  status: 'in_progress' | 'ok' | 'error';
  /** A UUID; null: a begin makes one, and an end closes the latest run without an end. */
  checkInId: string | null;
  durationMs: number | null;
  release: string | null;
  traceId: string | null;
  output: string | null;
  /** The kind of failure, if more is known than that it failed, such as `exit code 2`. */
  failure: string | null;
}

export type CheckInResult = { checkInId: string } | { retryAfterSeconds: number };

/**
 * Records what a job says of itself: once it is answered, it is stored.
 * @returns null when the heartbeat is gone
 */
export async function recordCheckIn(
  options: RecordingOptions,
  heartbeat: { projectId: string; heartbeatId: string },
  checkIn: CheckIn,
): Promise<CheckInResult | null> {
  // The same in every look: a failure that lasted longer each time would be another one each time.
  const newId = newUuid();
  let cameAtMs: number | null = null;
  return await recordVerdict<CheckInResult>(options, heartbeat, async (transaction, held) => {
    cameAtMs ??= held.nowMs;
    const minute = minuteOf(held);
    if (minute.checkIns >= CHECK_INS_A_MINUTE) {
      const retryAfterSeconds = Math.max(1, Math.ceil((minute.beganAtMs + MINUTE_MS - held.nowMs) / 1000));
      return { after: held, run: null, outcome: null, result: { retryAfterSeconds } };
    }
    const { checkInId } = checkIn;
    const isLatest = checkInId === LATEST || (checkInId === null && checkIn.status !== 'in_progress');
    const known = isLatest
      ? await findOpenRun(transaction, held)
      : checkInId === null
        ? null
        : await findRun(transaction, held, checkInId);
    const id = known?.checkInId ?? (checkInId === null || checkInId === LATEST ? newId : checkInId);
    const counted = {
      ...held,
      nowMs: cameAtMs,
      minuteBeganAtMs: minute.beganAtMs,
      minuteCheckIns: minute.checkIns + 1,
    };
    return judge(counted, known, { ...checkIn, checkInId: id });
  });
}

function minuteOf({ nowMs, minuteBeganAtMs, minuteCheckIns }: LockedHeartbeat) {
  const isOver = nowMs >= minuteBeganAtMs + MINUTE_MS || nowMs < minuteBeganAtMs;
  return isOver
    ? { beganAtMs: nowMs, checkIns: 0 }
    : { beganAtMs: minuteBeganAtMs, checkIns: minuteCheckIns };
}

function judge(
  held: LockedHeartbeat,
  known: StoredRun | null,
  checkIn: CheckIn & { checkInId: string },
): Verdict<CheckInResult> {
  const { checkInId, status } = checkIn;
  const result = { checkInId };
  const isOver = known !== null && known.status !== 'in_progress';
  // For each run, each status counts once; an end after the time-out is kept and changes nothing.
  if (known !== null && (status === 'in_progress' || (isOver && known.status !== 'timeout'))) {
    return { after: held, run: null, outcome: null, result };
  }
  const { nowMs } = held;
  const startedAtMs = known?.startedAtMs ?? nowMs - (checkIn.durationMs ?? 0);
  const durationMs =
    status === 'in_progress'
      ? null
      : (checkIn.durationMs ??
        (known === null ? null : Math.min(DURATION_MS_MAX, Math.max(0, nowMs - startedAtMs))));
  const run: RunChange = {
    checkInId,
    status,
    startedAtMs,
    endedAtMs: status === 'in_progress' ? null : nowMs,
    timeoutAtMs: status === 'in_progress' ? nowMs + held.settings.maxRuntimeMinutes * MINUTE_MS : null,
    durationMs,
    release: checkIn.release,
    traceId: checkIn.traceId ?? known?.traceId ?? null,
    output: checkIn.output,
  };
  if (isOver) return { after: held, run, outcome: null, result };
  const after = {
    ...(known === null ? satisfied(held) : held),
    lastCheckInAtMs: nowMs,
    lastStatus: status,
    lastDurationMs: durationMs ?? held.lastDurationMs,
  };
  if (status !== 'error') return { after, run, outcome: status === 'ok' ? 'success' : null, result };
  const seconds = durationMs === null ? '' : ` after ${Math.round(durationMs / 100) / 10} s`;
  return {
    after,
    run,
    outcome: {
      kind: 'error',
      sentence: `${checkIn.failure ?? 'error'}${seconds}`,
      occurredAtMs: nowMs,
      checkInId,
      traceId: run.traceId,
      release: run.release,
      output: run.output,
      expectedAtMs: null,
    },
    result,
  };
}

/**
 * Returns the heartbeat after a begin: the slot is satisfied by a begin after the deadline of the slot before, so that
 * a job which starts a little early is on time. An interval restarts with each run.
 */
function satisfied(held: LockedHeartbeat): LockedHeartbeat {
  const { settings, nowMs, slotOpenedAtMs, expectedAtMs } = held;
  const isInterval = settings.schedule.type === 'interval';
  if (!isInterval && nowMs <= slotOpenedAtMs) return held;
  const next = nextTime(
    settings.schedule,
    settings.timezone,
    isInterval ? nowMs : Math.max(expectedAtMs, nowMs - settings.marginMinutes * MINUTE_MS),
  );
  if (next === null) return held;
  return {
    ...held,
    slotOpenedAtMs: isInterval ? nowMs : expectedAtMs + settings.marginMinutes * MINUTE_MS,
    expectedAtMs: next,
  };
}
