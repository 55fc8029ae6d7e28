import type { CheckDays, listCheckDays as endpoint } from '@culprit/contract/monitor/check-history';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { checkScopeOf } from './check-scope.ts';
import { rollupOf } from './daily-rollup.ts';
import { findDaysOfChecks, listStoredDaysOf } from './days.queries.ts';
import { daysBetween } from './list-daily-rollups.ts';

/** The days of every check of a project (docs/contract/server-additions.md S18), oldest check first. */
export async function listCheckDays(
  { database, plans }: Runtime,
  { access }: ApiRequest<typeof endpoint>,
): Promise<{ checks: CheckDays[] }> {
  const checks = await findDaysOfChecks(database, checkScopeOf(plans, access));
  const spans = checks.map((check) => ({ check, days: daysBetween(check.createdAtMs, check.nowMs) }));
  const first = spans.map(({ days }) => days.at(-1) ?? '').reduce((a, b) => (a === '' || b < a ? b : a), '');
  const last = spans.map(({ days }) => days[0] ?? '').reduce((a, b) => (b > a ? b : a), '');
  if (first === '' || last === '') return { checks: [] };
  const stored = await listStoredDaysOf(database, access.projectId, first, last);
  return {
    checks: spans.map(({ check, days }) => {
      const rollups = days.map((day) => rollupOf(check, day, stored.get(check.checkId)?.get(day) ?? null));
      const runs = rollups.reduce((sum, day) => sum + day.total_checks, 0);
      const successes = rollups.reduce((sum, day) => sum + day.successful_checks, 0);
      return {
        check_id: check.checkId,
        days: rollups.map(({ day, state, downtime_seconds, incident_ids }) => ({
          day,
          state,
          downtime_seconds,
          incident_ids,
        })),
        uptime: runs === 0 ? null : successes / runs,
      };
    }),
  };
}
