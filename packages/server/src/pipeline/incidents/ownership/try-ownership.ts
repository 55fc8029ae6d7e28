import { type OwnerLine, readOwnership } from '@culprit/contract/workspace/owner-lines';
import type { Ownership, OwnershipPreview } from '@culprit/contract/workspace/ownership';
import type { Database } from '../../../platform/db/database.ts';
import { prefixedId } from '../../../platform/ids.ts';
import { createLoopYield } from '../../../platform/loop-yield.ts';
import type { AssigneeName } from '../triage/triage.queries.ts';
import { type CompiledOwnership, compileOwnership, decideLine } from './decide-line.ts';
import { type KnownOwners, knowOwners } from './find-owners.ts';
import { findOwnedIncidents, findOwnership, type OwnedIncident } from './ownership.queries.ts';

/** Incidents that one answer tries, the newest. */
const TRIED_MAX = 5000;
/** The time limit; incidents that were not tried within it are omitted. */
const TIME_MAX_MS = 8000;
const CHANGED_MAX = 50;
const SHOWN_DAYS = 30;

interface Decided {
  incident: OwnedIncident;
  line: OwnerLine | null;
}

/** The stored text, with what each line decided lately (docs/contract/team-workflow.md 2.3). */
export async function describeOwnership(database: Database, projectId: string): Promise<Ownership> {
  const stored = await findOwnership(database, projectId);
  const { lines } = readOwnership(stored?.text ?? '');
  const owners = await knowOwners(database, projectId, lines);
  const { decided, isComplete } = await tryOn(database, projectId, [compileOwnership(lines)], SHOWN_DAYS);
  const first = decided[0] ?? [];
  const counts = new Map<OwnerLine, number>();
  for (const { line } of first) if (line !== null) counts.set(line, (counts.get(line) ?? 0) + 1);
  return {
    text: stored?.text ?? '',
    version: stored?.version ?? 0,
    lines: lines.map((line) => ({
      number: line.number,
      text: line.text,
      problem: owners.problemOf(line),
      matched_30d: counts.get(line) ?? 0,
    })),
    unowned_30d: first.filter(({ line }) => owners.ownerOf(line) === null).length,
    is_complete: isComplete,
    updated_at: stored === null ? null : new Date(stored.updatedAtMs).toISOString(),
    updated_by_user_id: stored?.updatedByUserId ?? null,
  };
}

/**
 * Returns the decisions that lines would have made about the incidents of the last days, next to those of the stored
 * ones.
 */
export async function tryOwnership(
  database: Database,
  projectId: string,
  lines: readonly OwnerLine[],
  days: number,
): Promise<OwnershipPreview> {
  const stored = readOwnership((await findOwnership(database, projectId))?.text ?? '').lines;
  const ownerships = [compileOwnership(lines), compileOwnership(stored)];
  const { decided, isComplete } = await tryOn(database, projectId, ownerships, days);
  const [now = [], before = []] = decided;
  const owners = await knowOwners(database, projectId, [...lines, ...stored]);
  const matched = new Set(now.map(({ line }) => line));
  const each = now.map((one, n) => ({
    ...one,
    to: owners.ownerOf(one.line),
    from: ownerBefore(owners, before[n]),
  }));
  return {
    incidents: each.length,
    owned: each.filter(({ to }) => to !== null).length,
    by_owner: countOwners(each.map(({ to }) => to)),
    changed: each
      .filter(({ from, to }) => from?.id !== to?.id)
      .slice(0, CHANGED_MAX)
      .map(({ incident, line, from, to }) => ({
        incident_id: prefixedId('inc', incident.incidentId),
        title: incident.title,
        from: from?.name ?? null,
        to: to?.name ?? null,
        line: line?.number ?? null,
      })),
    never_matching: lines.filter((line) => !matched.has(line)).map(({ number }) => number),
    is_complete: isComplete,
  };
}

function ownerBefore(owners: KnownOwners, decided: Decided | undefined): AssigneeName | null {
  return owners.ownerOf(decided?.line ?? null);
}

function countOwners(owners: readonly (AssigneeName | null)[]): OwnershipPreview['by_owner'] {
  const counts = new Map<string, { owner: string; incidents: number }>();
  for (const owner of owners) {
    if (owner === null) continue;
    const known = counts.get(owner.id);
    if (known === undefined) counts.set(owner.id, { owner: owner.name, incidents: 1 });
    else known.incidents += 1;
  }
  return [...counts.values()].toSorted((a, b) => b.incidents - a.incidents);
}

/** Returns the decisions of each of several texts about the incidents that were opened in the last days. */
async function tryOn(
  database: Database,
  projectId: string,
  ownerships: readonly CompiledOwnership[],
  days: number,
): Promise<{ decided: Decided[][]; isComplete: boolean }> {
  const tagKeys = [...new Set(ownerships.flatMap((each) => each.tagKeys))];
  const hasMonitors = ownerships.some((each) => each.hasMonitors);
  const choice = { kind: 'opened', days } as const;
  const read = { tagKeys, hasMonitors, limit: TRIED_MAX + 1 };
  const found = await findOwnedIncidents(database, projectId, choice, read);
  const tried = found.slice(0, TRIED_MAX);
  const decided: Decided[][] = ownerships.map(() => []);
  const turns = createLoopYield();
  const endMs = performance.now() + TIME_MAX_MS;
  for (const incident of tried) {
    if (performance.now() > endMs) return { decided, isComplete: false };
    for (const [n, ownership] of ownerships.entries())
      decided[n]?.push({ incident, line: decideLine(ownership, incident.facts) });
    await turns.next();
  }
  return { decided, isComplete: found.length <= TRIED_MAX };
}
