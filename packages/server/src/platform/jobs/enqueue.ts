import { WAKE_CHANNEL } from './wake-listener.ts';

/** A kind of job and the lane in which it is enqueued: the lane's row in `roles/lanes.ts` names both. */
export interface JobKind {
  readonly lane: string;
  readonly kind: string;
}

/** Jobs as the expressions of a statement. */
interface NewJobs {
  /** The kind of the enqueued job; for several kinds, the expressions that choose among them. */
  readonly job:
    | JobKind
    | { readonly oneOf: readonly JobKind[]; readonly lane: string; readonly kind: string };
  /**
   * An expression of type `uuid`: lanes serve these in turn. The project, or another unit that must not delay others.
   */
  readonly fairnessKey: string;
  /** An expression of type `text`: a kind has one job with the key. */
  readonly key?: string;
  /** An expression of type `jsonb`. */
  readonly payload?: string;
  /** The time when the job is due; immediately if absent. */
  readonly runAt?: string;
  /** Failed attempts that already count. */
  readonly failures?: string;
  /** `from …`, where there is not exactly one job. */
  readonly from?: string;
  /** The effect on a job whose kind and key are in the queue already: none, or an update of it, named `j`. */
  readonly whenQueued?: 'stays' | { readonly update: string };
}

const enqueued: JobKind[] = [];

/**
 * Returns the part of a statement that inserts jobs, for its `with`, so that a change of state and the jobs that it
 * causes commit together. It is the only way into the queue. Statements contain it when their module is loaded, so a
 * process that would fill a lane that no worker serves does not start (`requireLaneRows`).
 */
export function enqueue(jobs: NewJobs): string {
  const { job, fairnessKey, key, payload, runAt, failures, from = '', whenQueued } = jobs;
  enqueued.push(...('oneOf' in job ? job.oneOf : [job]));
  const [lane, kind] = 'oneOf' in job ? [job.lane, job.kind] : [`'${job.lane}'`, `'${job.kind}'`];
  const values = { lane, kind, fairness_key: fairnessKey, key, payload, run_at: runAt, failures };
  const given = Object.entries(values).filter(([, expression]) => expression !== undefined);
  return `insert into jobs as j (${given.map(([column]) => column).join(', ')})
    select ${given.map(([, expression]) => expression).join(', ')} ${from}
    ${conflictClause(whenQueued)}
    returning lane, run_at`;
}

/** Wakes the workers that serve the lanes of the due jobs that a part named `queued` enqueued. */
export const WAKE_QUEUED = `select pg_notify('${WAKE_CHANNEL}', lane) from queued where run_at <= culprit_now() group by lane`;

/**
 * Returns the SQL expression for the time at which the queued job of a kind and key is due; it is null if there is
 * none.
 */
export function dueTimeOf({ kind }: JobKind, key: string): string {
  return `(select j.run_at from jobs j where j.kind = '${kind}' and j.key = ${key})`;
}

/** Everything that the loaded modules enqueue. */
export function enqueuedKinds(): readonly JobKind[] {
  return enqueued;
}

function conflictClause(whenQueued: NewJobs['whenQueued']): string {
  if (whenQueued === undefined) return '';
  const then = whenQueued === 'stays' ? 'do nothing' : `do update ${whenQueued.update}`;
  return `on conflict (kind, key) where key is not null ${then}`;
}
