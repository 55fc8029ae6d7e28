import type { PausedReason } from '@culprit/contract/monitor/availability-checks';
import type { DailyRollup } from '@culprit/contract/monitor/check-history';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { prefixedId } from '../../platform/ids.ts';

export const DAY_MS = 86_400_000;
/** Days that are kept and shown (docs/contract/account.md 6.1): the current one and 30 before it. */
export const DAYS_MAX = 31;

/** The stored facts of a day of a check. Times are milliseconds since the epoch. */
export interface StoredDay {
  successfulChecks: number;
  failedChecks: number;
  successfulMs: number;
  firstCheckedAtMs: number | null;
  lastCheckedAtMs: number | null;
  /** The downtime of failed runs that another run followed. */
  downtimeMs: number;
  hasOpened: boolean;
  beganOpen: boolean;
  hasRecovered: boolean;
  wasPaused: boolean;
  incidentIds: readonly string[];
}

/** The further facts on which the days of a check depend. */
export interface DaysOfCheck {
  checkId: string;
  projectId: string;
  createdAtMs: number;
  pause: PausedReason | null;
  pausedSinceMs: number | null;
  /** The latest run, if it failed: its downtime still runs. */
  openFailure: { startedAtMs: number; intervalSeconds: number } | null;
  nowMs: number;
}

/** A day as `YYYY-MM-DD`, UTC. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/**
 * Returns the time for which a failed run counts as down: until the next run, at most one interval, and not beyond its
 * day (docs/contract/account.md 7.6).
 */
export function downtimeMs(failedAtMs: number, intervalSeconds: number, untilMs: number): number {
  const dayEndMs = (Math.floor(failedAtMs / DAY_MS) + 1) * DAY_MS;
  return Math.max(0, Math.min(untilMs, dayEndMs, failedAtMs + intervalSeconds * 1000) - failedAtMs);
}

/** The rollup of one day; `stored` is null for one on which nothing ran. */
export function rollupOf(check: DaysOfCheck, day: string, stored: StoredDay | null): DailyRollup {
  const { successfulChecks = 0, failedChecks = 0 } = stored ?? {};
  const { openFailure, nowMs } = check;
  const runningMs =
    openFailure === null || dayOf(openFailure.startedAtMs) !== day
      ? 0
      : downtimeMs(openFailure.startedAtMs, openFailure.intervalSeconds, nowMs);
  return {
    check_id: check.checkId,
    project_id: prefixedId('proj', check.projectId),
    day,
    state: stateOf(check, day, stored),
    total_checks: successfulChecks + failedChecks,
    successful_checks: successfulChecks,
    failed_checks: failedChecks,
    degraded_checks: 0,
    avg_duration_ms:
      stored === null || successfulChecks === 0 ? null : Math.round(stored.successfulMs / successfulChecks),
    first_checked_at: timeOrNull(stored?.firstCheckedAtMs),
    last_checked_at: timeOrNull(stored?.lastCheckedAtMs),
    downtime_seconds: Math.round(((stored?.downtimeMs ?? 0) + runningMs) / 1000),
    incident_ids: (stored?.incidentIds ?? []).map((incidentId) => prefixedId('inc', incidentId)),
  };
}

function stateOf(check: DaysOfCheck, day: string, stored: StoredDay | null): DailyRollup['state'] {
  if (stored === null || stored.successfulChecks + stored.failedChecks === 0) {
    return isPausedOn(check, day, stored) ? 'paused' : 'unknown';
  }
  if (stored.hasOpened || (stored.beganOpen && !stored.hasRecovered)) return 'down';
  return stored.failedChecks > 0 ? 'degraded' : 'operational';
}

function isPausedOn(check: DaysOfCheck, day: string, stored: StoredDay | null): boolean {
  if (stored?.wasPaused === true) return true;
  if (check.pause === null) return false;
  return day === dayOf(check.nowMs) || (check.pausedSinceMs !== null && day >= dayOf(check.pausedSinceMs));
}

function timeOrNull(timeMs: number | null | undefined): string | null {
  return timeMs === null || timeMs === undefined ? null : formatTimestamp(timeMs);
}
