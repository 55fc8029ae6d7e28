import type { Parameter, Queryable } from '../../../platform/db/database.ts';
import { findsDocument } from './document-conditions.ts';
import { type Bind, type Condition, DOCUMENTS_RANK, RANK } from './query-condition.ts';

/** Few incidents are put in order by themselves. */
export const FOUND_MAX = 2000;
/** Terms by which incidents are looked for. */
const LOOKS_MAX = 3;

interface Candidates {
  incidentIds: string[];
  /** The conditions that they may not meet. */
  conditions: readonly Condition[];
}

interface Look {
  finds: (bind: Bind) => string;
  rank: number;
  /** The conditions that all that is found meets. */
  decides: readonly Condition[];
}

/**
 * The incidents among which those of a query are, by the term that finds fewest; null where each finds too many, or none
 * has an index.
 * @param kind `rare`: by what few incidents are, each at the cost of what is found; `any`: by other terms, and all of
 *   them together
 */
export async function findCandidates(
  database: Queryable,
  projectIds: readonly string[],
  conditions: readonly Condition[],
  kind: 'rare' | 'any',
  foundMax = FOUND_MAX,
): Promise<Candidates | null> {
  const looks = looksOf(conditions).filter(({ rank }) => rank <= RANK.state === (kind === 'rare'));
  looks.sort((a, b) => a.rank - b.rank);
  looks.splice(LOOKS_MAX);
  const sets = conditions.filter(({ all }) => all !== undefined);
  if (kind === 'any' && (sets.length > 1 || sets.some(({ isNegated }) => isNegated))) {
    const finds = (bind: Bind) => `select f.incident_id from (${fittingSets(conditions, bind)}) f limit $2`;
    looks.push({ finds, rank: 9, decides: sets });
  }
  for (const { finds, decides } of looks) {
    const parameters: Parameter[] = [[...projectIds], foundMax + 1];
    const text = finds(binder(parameters));
    const rows = await database.query<{ incident_id: string | null }>({ name: '', text }, parameters);
    const incidentIds = rows.flatMap(({ incident_id: id }) => id ?? []);
    if (incidentIds.length === rows.length && incidentIds.length <= foundMax) {
      return { incidentIds, conditions: conditions.filter((each) => !decides.includes(each)) };
    }
  }
  return null;
}

function looksOf(conditions: readonly Condition[]): Look[] {
  const looks = conditions.flatMap((condition): Look[] => {
    const { finds, rank, all } = condition;
    return finds === null ? [] : [{ finds, rank, decides: all === undefined ? [] : [condition] }];
  });
  const documented = conditions.filter(({ document }) => document !== null);
  if (documented.length > 0) {
    const query = documented.map(({ document }) => `(${document})`).join(' & ');
    looks.push({
      finds: (bind) => findsDocument(bind, query),
      rank: DOCUMENTS_RANK,
      decides: documented.filter(({ lexemes }) => typeof lexemes === 'string'),
    });
  }
  return looks;
}

/**
 * Returns the query for the incidents of projects `$1` that meet the conditions that have `all`, and may meet the others.
 * What a term finds is read as a whole, which takes less time than a look at each of many incidents.
 */
export function fittingSets(conditions: readonly Condition[], bind: Bind): string {
  const whole = (isNegated: boolean) =>
    conditions.flatMap(({ all, lexemes, isNegated: is = false }) =>
      all === undefined || typeof lexemes === 'string' || is !== isNegated ? [] : [all(bind, 'null')],
    );
  const included = whole(false);
  const excluded = whole(true);
  const has = conditions.flatMap(({ document }) => (document === null ? [] : [`(${document})`]));
  const lacks = conditions.flatMap(({ lexemes, isNegated }) =>
    typeof lexemes === 'string' && isNegated === true ? [`(${lexemes})`] : [],
  );
  if (has.length > 0) {
    const query = [...has, ...lacks.map((each) => `!${each}`)].join(' & ');
    included.push(findsDocument(bind, query, '', 'null'));
  } else if (lacks.length > 0) {
    excluded.push(findsDocument(bind, lacks.join(' | '), '', 'null'));
  }
  if (included.length === 0) {
    included.push('select p.incident_id from incidents p where p.project_id = any ($1::uuid[])');
  }
  // Without the offset each would be read in the order of ids, by an index that leads all over its table.
  const isOne = included.length + excluded.length === 1;
  const read = (query: string) =>
    `(select ${isOne ? 'distinct' : ''} x.incident_id from (${query} offset 0) x)`;
  return [included.map(read).join(' intersect '), ...excluded.map(read)].join(' except ');
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
