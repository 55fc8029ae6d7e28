import { countedOwners, type OwnerLine } from '@culprit/contract/workspace/owner-lines';
import type { Queryable } from '../../../platform/db/database.ts';
import type { AssigneeName } from '../triage/triage.queries.ts';
import { findOwners } from './ownership.queries.ts';

/** The people and teams that the owners of lines name. */
export interface KnownOwners {
  /** The first owner of a line that incidents can be assigned to; null where there is none. */
  ownerOf(line: OwnerLine | null): AssigneeName | null;
  /** The other owners of a line, who watch it. */
  watchersOf(line: OwnerLine): AssigneeName[];
  /** Why owners of a line are skipped; null where none is. */
  problemOf(line: OwnerLine): string | null;
}

/** Looks up everyone whom lines name, in one statement. */
export async function knowOwners(
  database: Queryable,
  projectId: string,
  lines: readonly OwnerLine[],
): Promise<KnownOwners> {
  const words = new Set(lines.flatMap((line) => countedOwners(line).map(wordOf)));
  const known = await findOwners(database, projectId, [...words]);
  return {
    ownerOf(line) {
      if (line === null) return null;
      for (const owner of countedOwners(line)) {
        const found = known.get(wordOf(owner));
        if (found !== undefined) return found;
      }
      return null;
    },
    watchersOf(line) {
      return countedOwners(line)
        .flatMap((owner) => known.get(wordOf(owner)) ?? [])
        .slice(1);
    },
    problemOf(line) {
      const counted = countedOwners(line);
      const unknown = counted.filter((owner) => !known.has(wordOf(owner)));
      if (unknown.length > 0)
        return `Not found: ${unknown.join(', ')}. An owner is a person of this project, or a team that has one.`;
      return counted.length < line.owners.length ? `Only the first ${counted.length} owners count.` : null;
    },
  };
}

/** `@org/team` is called by its last part. */
function wordOf(owner: string): string {
  const word = owner.toLowerCase();
  return word.startsWith('@') ? (word.slice(1).split('/').at(-1) ?? '') : word;
}
