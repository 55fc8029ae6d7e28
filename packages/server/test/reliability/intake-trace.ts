import { dirname } from 'node:path';

/**
 * What the intake did, in the order in which it happened: operations on files, commits and answers. Recorded by the
 * program's own calls or by those of the system.
 */
export type TraceStep =
  | { kind: 'written'; path: string; offset: number }
  | { kind: 'sync begins'; path: string }
  | { kind: 'synced'; path: string }
  | { kind: 'renamed'; path: string; to: string }
  | { kind: 'directory made'; path: string }
  /** The place is of the batch that the transaction makes count: in the object `path`. */
  | { kind: 'commit begins'; path: string; offset: number }
  | { kind: 'committed'; path: string; offset: number }
  /** The place is of the batch that holds the events of the request. */
  | { kind: 'answered'; path: string; offset: number };

/** A write that is done; one to a file that is open for synchronous writes has synced its bytes then. */
export function writtenSteps(path: string, offset: number, isSynced: boolean): TraceStep[] {
  const written: TraceStep = { kind: 'written', path, offset };
  return isSynced ? [written, { kind: 'sync begins', path }, { kind: 'synced', path }] : [written];
}

/** What a 202 promises, and what it came before. */
export type TraceFault =
  | 'object not synced'
  | 'directory not synced'
  | 'parent directory not synced'
  | 'committed before it was synced'
  | 'answered before it was committed';

/**
 * Judges each answer by docs/contract/reliability.md A1: the object is written and synced, gets its name, and its
 * directory and new parents are synced, and what is appended is written and synced; then comes the commit, then the
 * answer.
 * @returns the first fault of each request; null for one in order
 */
export function judgeTrace(steps: readonly TraceStep[]): (TraceFault | null)[] {
  const made = steps.filter((step) => step.kind === 'directory made');
  return steps.flatMap((step, at) => (step.kind === 'answered' ? [judge(step.path, step.offset, at)] : []));

  function judge(object: string, offset: number, answeredAt: number): TraceFault | null {
    const namedAt = steps.findIndex((step) => step.kind === 'renamed' && step.to === object);
    const named = steps[namedAt];
    if (named?.kind !== 'renamed') return 'object not synced';
    const writtenAt = last('written', named.path, namedAt);
    if (writtenAt === -1 || syncedAfter(writtenAt, named.path) > namedAt) return 'object not synced';
    const appendedSyncedAt = offset === 0 ? namedAt : appendSyncedAt(object, offset);
    if (appendedSyncedAt > answeredAt) return 'object not synced';
    const directorySyncedAt = syncedAfter(namedAt, dirname(object));
    if (directorySyncedAt > answeredAt) return 'directory not synced';
    const parents = made.filter(({ path }) => object.startsWith(`${path}/`));
    const parentsSyncedAt = parents.map((parent) => syncedAfter(steps.indexOf(parent), dirname(parent.path)));
    if (parentsSyncedAt.some((syncedAt) => syncedAt > answeredAt)) return 'parent directory not synced';
    const ofBatch = (step: TraceStep, kind: TraceStep['kind']) =>
      step.kind === kind && step.path === object && 'offset' in step && step.offset === offset;
    const committedAt = steps.findIndex((step) => ofBatch(step, 'committed'));
    if (committedAt === -1 || committedAt > answeredAt) return 'answered before it was committed';
    const commitBeganAt = steps.findLastIndex(
      (step, at) => at < committedAt && ofBatch(step, 'commit begins'),
    );
    return Math.max(appendedSyncedAt, directorySyncedAt, ...parentsSyncedAt) < commitBeganAt
      ? null
      : 'committed before it was synced';
  }

  /** When the write was synced that brought what lies at an offset: several batches may share one. */
  function appendSyncedAt(object: string, offset: number): number {
    const writtenAt = steps.findLastIndex(
      (step) => step.kind === 'written' && step.path === object && step.offset <= offset && step.offset > 0,
    );
    return writtenAt === -1 ? Number.POSITIVE_INFINITY : syncedAfter(writtenAt, object);
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
