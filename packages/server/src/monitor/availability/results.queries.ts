import type {
  CheckErrorKind,
  CheckResult,
  CheckResultStatus,
} from '@culprit/contract/monitor/availability-checks';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import type { TimePage } from '../../platform/http/binding/time-page.ts';
import { prefixedId } from '../../platform/ids.ts';
import { errorMessage } from './check-outcome.ts';

/** Statements over results as people read them, and their removal. */

/** A result with the slot it is ordered by. */
interface ListedResult {
  result: CheckResult;
  slotAtMs: number;
}

/** A page of a check's results, newest first. The caller may see the check. */
export async function listResultRows(
  database: Queryable,
  checkId: string,
  page: TimePage,
): Promise<ListedResult[]> {
  const rows = await database.query<{
    result_id: string;
    check_id: string;
    project_id: string;
    slot_at: number;
    started_at: number;
    completed_at: number;
    duration_ms: number;
    status: CheckResultStatus;
    http_status: number | null;
    error_kind: CheckErrorKind | null;
    checked_host: string;
    final_url: string;
    redirect_count: number;
  }>(
    sql(
      'availability-results-list',
    )`select result_id, check_id, project_id, slot_at, started_at, completed_at, duration_ms, status,
          http_status, error_kind, checked_host, final_url, redirect_count
        from availability_results
        where check_id = $1 and ($2::timestamptz is null or slot_at < $2)
        order by slot_at desc limit $3`,
    [checkId, page.after === null ? null : new Date(page.after.timeMs), page.limit],
  );
  return rows.map((row) => ({
    slotAtMs: row.slot_at,
    result: {
      result_id: row.result_id,
      check_id: row.check_id,
      project_id: prefixedId('proj', row.project_id),
      started_at: formatTimestamp(row.started_at),
      completed_at: formatTimestamp(row.completed_at),
      duration_ms: row.duration_ms,
      status: row.status,
      http_status: row.http_status,
      error_kind: row.error_kind,
      error_message: errorMessage(row.error_kind),
      checked_url_host: row.checked_host,
      final_url: row.final_url,
      redirect_count: row.redirect_count,
    },
  }));
}

/** Removes up to `limit` results of a check; returns how many. */
export const deleteResults = statement.value<[checkId: string, limit: number], number>(
  'availability-results-delete',
  `with gone as (
      delete from availability_results where ctid = any (array(
        select ctid from availability_results where check_id = $1 limit $2))
      returning 1
    )
    select count(*) as removed from gone`,
  0,
);
