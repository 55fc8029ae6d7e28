import type { Queryable } from '../../platform/db/database.ts';
import type { AlertRule } from './alert-rule.ts';

/**
 * Finds which incidents of a project fit queries (docs/contract/notifications.md 1.23), each with the ids of those that
 * fit it. What searches incidents stands above alerts and is handed in, so it is only loaded where a rule has a query.
 * Ids are bare UUIDs.
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
