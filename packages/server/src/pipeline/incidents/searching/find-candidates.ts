import type { Parameter, Queryable } from '../../../platform/db/database.ts';
import { findsDocument } from './document-conditions.ts';
import { type Bind, type Condition, DOCUMENTS_RANK } from './query-condition.ts';

/**
 * So many found incidents are put in order by themselves. Of more, the list is read in its order until enough of them
 * are met, which is soon because they are many.
 */
export const FOUND_MAX = 2000;
/** Terms by which incidents are looked for before the list is read in its order. */
const LOOKS_MAX = 3;

/**
 * The incidents among which those of a query are, by the term that finds fewest; null where each finds too many, or none
 * has an index.
 */
export async function findCandidates(
  database: Queryable,
  projectIds: readonly string[],
  conditions: readonly Condition[],
): Promise<string[] | null> {
  // A query can name none of the visible projects, and a person can have none.
  if (projectIds.length === 0) return [];
  const looks = conditions.flatMap(({ finds, rank }) => (finds === null ? [] : [{ finds, rank }]));
  const documents = conditions.flatMap(({ document }) => (document === null ? [] : [`(${document})`]));
  if (documents.length > 0) {
    looks.push({ finds: (bind) => findsDocument(bind, documents.join(' & ')), rank: DOCUMENTS_RANK });
  }
  looks.sort((a, b) => a.rank - b.rank);
  for (const { finds } of looks.slice(0, LOOKS_MAX)) {
    const parameters: Parameter[] = [[...projectIds], FOUND_MAX + 1];
    const text = finds(binder(parameters));
    const rows = await database.query<{ incident_id: string | null }>({ name: '', text }, parameters);
    const ids = rows.flatMap(({ incident_id: id }) => id ?? []);
    if (ids.length === rows.length && ids.length <= FOUND_MAX) return ids;
  }
  return null;
}

/** Adds parameters behind those that are there. */
export function binder(parameters: Parameter[]): Bind {
  return (value, type) => {
    parameters.push(value);
    return `$${parameters.length}::${type}`;
  };
}

/** Returns all conditions for an incident `i`, to be appended to a `where`. */
export function fitsAll(conditions: readonly Condition[], bind: Bind): string {
  return conditions.map(({ fits }) => `and (${fits(bind)})`).join('\n    ');
}
