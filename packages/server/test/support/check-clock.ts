import type { CheckResult } from '@culprit/contract/monitor/availability-checks';
import type { CheckClient } from './check-client.ts';
import type { TestCulprit } from './culprit.ts';
import { moveClock } from './move-clock.ts';

/** Moves the clock of a service from slot to slot of its checks, which would take half a minute each. */
export interface CheckClock {
  /** Moves it forward. */
  forward(byMs: number): Promise<void>;
  /** Lets the next run of the check come, of which there were `runs` before; returns its result. */
  nextRun(checks: CheckClient, checkId: string, runs: number): Promise<CheckResult>;
}

export function checkClock(culprit: Pick<TestCulprit, 'database'>): CheckClock {
  let aheadMs = 0;

  async function forward(byMs: number): Promise<void> {
    aheadMs += byMs;
    await moveClock(culprit.database, aheadMs);
  }

  return {
    forward,
    async nextRun(checks, checkId, runs) {
      const { next_check_at } = await checks.read(checkId);
      const [row] = await culprit.database.query<{ now: number }>({
        name: 'test-clock',
        text: 'select culprit_now() as now',
      });
      await forward(Math.max(0, Date.parse(next_check_at ?? '') - (row?.now ?? 0)));
      return await checks.ran(checkId, runs + 1);
    },
  };
}
