import type { DailyRollup, listDailyRollups as endpoint } from '@culprit/contract/availability-checks';
import type { QueryOf } from '@culprit/contract/endpoint';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import type { AvailabilityRoom } from './availability.routes.ts';
import { DAY_MS, DAYS_MAX, dayOf, rollupOf } from './daily-rollup.ts';
import { findDaysOfCheck, listStoredDays } from './days.queries.ts';
import { type CheckPath, requireCheck } from './require-check.ts';

/**
 * A page of a check's days, latest first (account.md 7.6): every day since its creation that is kept, whether it ran or
 * not. The cursor is the last day shown.
 * @throws Problem `invalid_query`, `project_not_found`, `availability_check_not_found`, `shared_access_suspended`
 */
export async function listRollups(
  { database, plans }: AvailabilityRoom,
  member: Member,
  path: CheckPath,
  query: QueryOf<typeof endpoint>,
): Promise<{ daily_rollups: DailyRollup[]; next_cursor: string | null }> {
  const afterDay = readDayCursor(query.cursor);
  const { scope, checkId } = await requireCheck(database, plans, member, path);
  const check = await findDaysOfCheck(database, scope, checkId);
  if (check === null) throw new Problem('availability_check_not_found');
  const days = daysBetween(check.createdAtMs, check.nowMs).filter(
    (day) => afterDay === null || day < afterDay,
  );
  const shown = days.slice(0, query.limit ?? PAGE_SIZE_DEFAULT);
  const [last, first] = [shown.at(-1), shown[0]];
  if (last === undefined || first === undefined) return { daily_rollups: [], next_cursor: null };
  const stored = await listStoredDays(database, checkId, last, first);
  return {
    daily_rollups: shown.map((day) => rollupOf(check, day, stored.get(day) ?? null)),
    next_cursor: shown.length < days.length ? encodeCursor([last]) : null,
  };
}

/** Latest first. */
function daysBetween(createdAtMs: number, nowMs: number): string[] {
  const today = Math.floor(nowMs / DAY_MS);
  const count = Math.min(DAYS_MAX, today - Math.floor(createdAtMs / DAY_MS) + 1);
  return Array.from({ length: Math.max(0, count) }, (_, ago) => dayOf((today - ago) * DAY_MS));
}

function readDayCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const [day] = decodeCursor(cursor, 1) ?? [];
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new Problem('invalid_query');
  return day;
}
