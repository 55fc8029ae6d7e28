import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { DailyRollup, listDailyRollups as endpoint } from '@culprit/contract/monitor/check-history';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { invalidCursor } from '../../platform/http/binding/invalid-query.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { checkScopeOf } from './check-scope.ts';
import { DAY_MS, DAYS_MAX, dayOf, rollupOf } from './daily-rollup.ts';
import { findDaysOfCheck, listStoredDays } from './days.queries.ts';

/** A page of a check's days. */
interface DaysPage {
  /** The last day of the page before. */
  afterDay: string | null;
  limit: number;
}

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkRollupsPage({ query }: { query: QueryOf<typeof endpoint> }): DaysPage {
  return { afterDay: parseDayCursor(query.cursor), limit: query.limit ?? PAGE_SIZE_DEFAULT };
}

/**
 * A page of a check's days, latest first (docs/contract/account.md 7.6): every day since its creation that is kept,
 * whether it ran or not. The cursor is the last day shown.
 * @throws Problem `availability_check_not_found` when it was deleted
 */
export async function listRollups(
  { database, plans }: Runtime,
  { access, checked: { afterDay, limit } }: ApiRequest<typeof endpoint, DaysPage>,
): Promise<{ daily_rollups: DailyRollup[]; next_cursor: string | null }> {
  const { recordId: checkId } = access;
  const check = await findDaysOfCheck(database, checkScopeOf(plans, access), checkId);
  if (check === null) throw new Problem('availability_check_not_found');
  const days = daysBetween(check.createdAtMs, check.nowMs).filter(
    (day) => afterDay === null || day < afterDay,
  );
  const shown = days.slice(0, limit);
  const [last, first] = [shown.at(-1), shown[0]];
  if (last === undefined || first === undefined) return { daily_rollups: [], next_cursor: null };
  const stored = await listStoredDays(database, checkId, last, first);
  return {
    daily_rollups: shown.map((day) => rollupOf(check, day, stored.get(day) ?? null)),
    next_cursor: shown.length < days.length ? encodeCursor([last]) : null,
  };
}

/** The days of a check that are shown, latest first. */
export function daysBetween(createdAtMs: number, nowMs: number): string[] {
  const today = Math.floor(nowMs / DAY_MS);
  const count = Math.min(DAYS_MAX, today - Math.floor(createdAtMs / DAY_MS) + 1);
  return Array.from({ length: Math.max(0, count) }, (_, ago) => dayOf((today - ago) * DAY_MS));
}

function parseDayCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const [day] = decodeCursor(cursor, 1) ?? [];
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) throw invalidCursor();
  return day;
}
