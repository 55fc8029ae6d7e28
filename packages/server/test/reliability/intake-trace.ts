import { dirname } from 'node:path';

/**
 * What the intake did, in the order in which it happened: operations on files, commits and answers. Recorded by the
 * program's own calls or by those of the system.
 */
export type TraceStep =
  | { kind: 'written'; path: string }
  | { kind: 'sync begins'; path: string }
  | { kind: 'synced'; path: string }
  | { kind: 'renamed'; path: string; to: string }
  | { kind: 'directory made'; path: string }
  /** `path` is of the object that the transaction makes count. */
  | { kind: 'commit begins'; path: string }
  | { kind: 'committed'; path: string }
  /** `path` is of the object that holds the events of the request. */
  | { kind: 'answered'; path: string };

/** What a 202 promises, and what it came before. */
export type TraceFault =
  | 'object not synced'
  | 'directory not synced'
  | 'parent directory not synced'
  | 'committed before it was synced'
  | 'answered before it was committed';

/**
 * Judges each answer by docs/contract/reliability.md A1: the object is written and synced, gets its name, and its
 * directory and new parents are synced; then comes the commit, then the answer.
 * @returns the first fault of each request; null for one in order
 */
export function judgeTrace(steps: readonly TraceStep[]): (TraceFault | null)[] {
  const made = steps.filter((step) => step.kind === 'directory made');
  return steps.flatMap((step, at) => (step.kind === 'answered' ? [judge(step.path, at)] : []));

  function judge(object: string, answeredAt: number): TraceFault | null {
    const namedAt = steps.findIndex((step) => step.kind === 'renamed' && step.to === object);
    const named = steps[namedAt];
    if (named?.kind !== 'renamed') return 'object not synced';
    const writtenAt = last('written', named.path, namedAt);
    const contentSyncedAt = syncedAfter(writtenAt, named.path);
    if (writtenAt === -1 || contentSyncedAt > namedAt) return 'object not synced';
    const directorySyncedAt = syncedAfter(namedAt, dirname(object));
    if (directorySyncedAt > answeredAt) return 'directory not synced';
    const parents = made.filter(({ path }) => object.startsWith(`${path}/`));
    const parentsSyncedAt = parents.map((parent) => syncedAfter(steps.indexOf(parent), dirname(parent.path)));
    if (parentsSyncedAt.some((syncedAt) => syncedAt > answeredAt)) return 'parent directory not synced';
    const committedAt = steps.findIndex((step) => step.kind === 'committed' && step.path === object);
    if (committedAt === -1 || committedAt > answeredAt) return 'answered before it was committed';
    const commitBeganAt = last('commit begins', object, committedAt);
    return Math.max(directorySyncedAt, ...parentsSyncedAt) < commitBeganAt
      ? null
      : 'committed before it was synced';
  }

  function last(kind: TraceStep['kind'], path: string, before: number): number {
    return steps.findLastIndex((step, at) => at < before && step.kind === kind && step.path === path);
  }

  /** When the first sync of the path was done that began behind that place; infinite when there was none. */
  function syncedAfter(after: number, path: string): number {
    const beganAt = steps.findIndex(
      (step, at) => at > after && step.kind === 'sync begins' && step.path === path,
    );
    if (beganAt === -1) return Number.POSITIVE_INFINITY;
    const doneAt = steps.findIndex(
      (step, at) => at > beganAt && step.kind === 'synced' && step.path === path,
    );
    return doneAt === -1 ? Number.POSITIVE_INFINITY : doneAt;
  }
}
