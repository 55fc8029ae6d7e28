import { readQuery } from '@culprit/contract/search/incident-query';
import type { FitQueries } from '../../../notify/alerts/alert-queries.ts';
import type { Parameter, Queryable } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { compileQuery } from './compile-query.ts';
import { binder, fitsAll } from './find-candidates.ts';
import type { Bind, QueryContext } from './query-condition.ts';

/** No rule asks who reads it: `me` and `mine` are refused when it is saved. */
const NO_ONE = '00000000-0000-4000-8000-000000000000';

/** Judges incidents by the queries of alert rules, all in one statement (docs/contract/notifications.md 1.23). */
export const fitQueries: FitQueries = async (database, projectId, queries, incidentIds) =>
  await judge(database, queries, [[projectId], [...incidentIds]], {
    projectIds: [projectId],
    nowMs: await readClock(database),
    userId: NO_ONE,
    users: new Map(),
  });

async function judge(
  database: Queryable,
  queries: readonly string[],
  parameters: Parameter[],
  context: QueryContext,
): Promise<Map<string, Set<string>>> {
  const text = `select i.incident_id, array[${columnsOf(queries, context, binder(parameters))}]::boolean[] as fits
    from incidents i where i.project_id = any ($1::uuid[]) and i.incident_id = any ($2::uuid[])`;
  const rows = await database.query<{ incident_id: string; fits: boolean[] }>({ name: '', text }, parameters);
  return new Map(
    queries.map((query, n) => [
      query,
      new Set(rows.filter((row) => row.fits[n] === true).map((row) => row.incident_id)),
    ]),
  );
}

function columnsOf(queries: readonly string[], context: QueryContext, bind: Bind): string {
  const fits = queries.map((query) => {
    const conditions = compileQuery(readQuery(query).terms, context);
    return `(true ${fitsAll(conditions, bind)}) is true`;
  });
  return fits.join(', ');
}
