import type { Queryable } from '../../platform/db/database.ts';
import type { AlertRule } from './alert-rule.ts';

/**
 * Finds the incidents of a project that match queries (docs/contract/notifications.md 1.23): their ids, by query.
 * Incident search is a layer above alerts, so it is passed in, and is loaded only if a rule has a query. Ids are bare
 * UUIDs.
 */
export type FitQueries = (
  database: Queryable,
  projectId: string,
  queries: readonly string[],
  incidentIds: readonly string[],
) => Promise<ReadonlyMap<string, ReadonlySet<string>>>;

/** A rule and an incident. */
interface Pair {
  rule: Pick<AlertRule, 'query'>;
  incidentId: string;
}

/** Those whose rule has no query, or one that the incident fits now. */
export async function keepFitting<Judged>(
  judged: readonly Judged[],
  pairOf: (each: Judged) => Pair,
  { database, projectId, fitQueries }: { database: Queryable; projectId: string; fitQueries: FitQueries },
): Promise<Judged[]> {
  const asked = judged
    .map(pairOf)
    .flatMap(({ rule, incidentId }) => (rule.query === null ? [] : [{ query: rule.query, incidentId }]));
  if (asked.length === 0) return [...judged];
  const fitting = await fitQueries(
    database,
    projectId,
    [...new Set(asked.map(({ query }) => query))],
    [...new Set(asked.map(({ incidentId }) => incidentId))],
  );
  return judged.filter((each) => {
    const { rule, incidentId } = pairOf(each);
    return rule.query === null || fitting.get(rule.query)?.has(incidentId) === true;
  });
}
