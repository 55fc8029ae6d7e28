import {
  type AvailabilityCheck,
  type CheckLimits,
  listAvailabilityChecks,
} from '@culprit/contract/monitor/availability-checks';
import { type CheckDays, listCheckDays } from '@culprit/contract/monitor/check-history';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { readAllPages } from './pages.ts';
import { call } from './transport.ts';

const ORDER = ['failing', 'unknown', 'passing', 'paused'];

/** Every check of a project, the failing ones first, and what its plan allows. */
export function checksQuery(projectId: string) {
  return queryOptions({
    queryKey: [listAvailabilityChecks.id, projectId],
    queryFn: async ({ signal }) => {
      let limits: CheckLimits | null = null;
      const checks = await readAllPages(
        async (query) => {
          const params = { id: projectId };
          const page = await call(listAvailabilityChecks, { params, query, signal });
          limits = page.limits;
          return page;
        },
        ({ availability_checks: rows }) => rows,
      );
      return { checks: checks.toSorted(byUrgency), limits: limits as CheckLimits | null };
    },
    ...freshness('checks'),
  });
}

function byUrgency(a: AvailabilityCheck, b: AvailabilityCheck): number {
  return ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || a.name.localeCompare(b.name);
}

/** The last 31 days of every check, by check. */
export function checkDaysQuery(projectId: string) {
  return queryOptions({
    queryKey: [listCheckDays.id, projectId],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, CheckDays>> => {
      const { checks } = await call(listCheckDays, { params: { id: projectId }, signal });
      return new Map(checks.map((each) => [each.check_id, each]));
    },
    ...freshness('days'),
  });
}
