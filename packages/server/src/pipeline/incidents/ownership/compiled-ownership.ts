import { readOwnership } from '@culprit/contract/workspace/owner-lines';
import type { Queryable } from '../../../platform/db/database.ts';
import { type CompiledOwnership, compileOwnership } from './decide-line.ts';
import { findOwnership, findOwnershipVersion } from './ownership.queries.ts';

/** Projects whose lines a process keeps. */
const KEPT_MAX = 50;

const kept = new Map<string, { version: number; ownership: CompiledOwnership }>();

/** Returns the lines of a project in their stored form, compiled once for each version; null if there are none. */
export async function storedOwnership(
  database: Queryable,
  projectId: string,
): Promise<CompiledOwnership | null> {
  const version = await findOwnershipVersion(database, projectId);
  if (version === null) return null;
  const known = kept.get(projectId);
  kept.delete(projectId);
  if (known?.version === version) {
    kept.set(projectId, known);
    return known.ownership;
  }
  const stored = await findOwnership(database, projectId);
  if (stored === null) return null;
  const ownership = compileOwnership(readOwnership(stored.text).lines);
  kept.set(projectId, { version: stored.version, ownership });
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return ownership;
}
