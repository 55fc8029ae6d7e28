import type { Queryable } from '../../../platform/db/database.ts';
import { FOUND_MAX, findCandidates } from '../searching/find-candidates.ts';
import type { Condition } from '../searching/query-condition.ts';
import {
  type IncidentFilter,
  type IncidentPage,
  type Listed,
  passesAll,
  readNear,
} from './incident-list.queries.ts';

/**
 * Chooses how the incidents of a list are read, so that its time depends neither on how many have what the terms name nor
 * on where in the order they are.
 */

/** The incidents that are looked at first, and of how many at most few are found by a term. */
export interface Bounds {
  near: number;
  found: number;
}

const BOUNDS: Bounds = { near: 1000, found: FOUND_MAX };

/** Reading in the order is chosen where the first incidents make it likely to end within this many times their number. */
const NEAR_TIMES_MAX = 4;

/** Up to so many projects are looked at as far as one. */
const FULL_PROJECTS_MAX = 5;

/** A count is read row by row where this share of the first incidents fits. */
const COMMON_SHARE = 0.5;

/** Chooses how a page is read. */
export async function wayOfPage(
  database: Queryable,
  filter: IncidentFilter,
  page: IncidentPage,
  conditions: readonly Condition[],
  bounds = BOUNDS,
): Promise<Listed> {
  const isByPriority = page.sort === 'priority';
  const candidates = (kind: 'rare' | 'any') => lookedFor(database, filter, conditions, kind, bounds);
  const rare = await candidates('rare');
  if (rare !== null) return rare;
  const inOrder: Listed = { conditions, candidates: null, isWhole: false };
  const hasSets = conditions.some(({ all }) => all !== undefined);
  if (!hasSets && (!isByPriority || (conditions.length === 0 && passesAll(filter)))) {
    return (await candidates('any')) ?? inOrder;
  }
  const near = nearOf(filter, bounds, page.limit);
  const { seen, fitting } = await readNear(database, filter, page, conditions, near);
  const isAll = seen < near;
  if (isAll || (!isByPriority && fitting.length >= page.limit)) {
    return { conditions: [], candidates: fitting, isWhole: true };
  }
  const isDense = ({ length }: readonly string[]) => length * NEAR_TIMES_MAX >= page.limit;
  if (isDense(fitting)) return inOrder;
  if (isByPriority && !hasSets) {
    // It costs little to pass over the most severe incidents if only these do not fit.
    const latest = await readNear(database, filter, page, conditions, near, 'last_seen');
    if (isDense(latest.fitting)) return inOrder;
  }
  return (await candidates('any')) ?? { ...inOrder, isWhole: true };
}

/** Chooses how incidents are counted that a term or a parameter restricts. */
export async function wayOfCount(
  database: Queryable,
  filter: IncidentFilter,
  conditions: readonly Condition[],
  bounds = BOUNDS,
): Promise<Listed> {
  const found =
    (await lookedFor(database, filter, conditions, 'rare', bounds)) ??
    (await lookedFor(database, filter, conditions, 'any', bounds));
  if (found !== null) return found;
  const inOrder: Listed = { conditions, candidates: null, isWhole: false };
  if (!conditions.some(({ all }) => all !== undefined)) return inOrder;
  const near = nearOf(filter, bounds, 1);
  const page: IncidentPage = { sort: 'last_seen', after: null, limit: near };
  const { fitting } = await readNear(database, filter, page, conditions, near);
  return { ...inOrder, isWhole: fitting.length < near * COMMON_SHARE };
}

/** Each project gives so many rows, so that where they are many each gives fewer. */
function nearOf({ projectIds }: IncidentFilter, { near }: Bounds, least: number): number {
  return Math.min(near, Math.max(least, Math.floor((near * FULL_PROJECTS_MAX) / projectIds.length)));
}

async function lookedFor(
  database: Queryable,
  { projectIds }: IncidentFilter,
  conditions: readonly Condition[],
  kind: 'rare' | 'any',
  { found }: Bounds,
): Promise<Listed | null> {
  // A query can name none of the visible projects, and a person can have none.
  if (projectIds.length === 0) return { conditions: [], candidates: [], isWhole: true };
  const candidates = await findCandidates(database, projectIds, conditions, kind, found);
  if (candidates === null) return null;
  return { conditions: candidates.conditions, candidates: candidates.incidentIds, isWhole: true };
}
