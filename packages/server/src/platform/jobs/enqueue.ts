import { WAKE_CHANNEL } from './wake-listener.ts';

/** A kind of job and the lane in which it is enqueued: the lane's row in `roles/lanes.ts` names both. */
export interface JobKind {
  readonly lane: string;
  readonly kind: string;
}

/** Jobs as the expressions of a statement. */
export interface NewJobs {
  /** What is enqueued; of several kinds, the expressions that choose among them. */
  readonly job:
    | JobKind
    | { readonly oneOf: readonly JobKind[]; readonly lane: string; readonly kind: string };
  /** Of type `uuid`: lanes serve these in turn. The project, or whatever else must not delay others. */
  readonly fairnessKey: string;
  /** Of type `text`: of one kind there is one job with the key. */
  readonly key?: string;
  /** Of type `jsonb`. */
  readonly payload?: string;
  /** When it is due; at once if absent. */
  readonly runAt?: string;
  /** Failed attempts that already count. */
  readonly failures?: string;
  /** `from …`, where there is not exactly one job. */
  readonly from?: string;
  /** What becomes of a job whose kind and key are in the queue already: nothing, or an update of it, which is `j`. */
  readonly whenQueued?: 'stays' | { readonly update: string };
}

const enqueued: JobKind[] = [];

/**
 * The only way into the queue: the part of a statement that inserts jobs, for its `with`, so that a change of state and
 * the jobs that it causes commit together. It is written into statements when their module is loaded, so that a process
 * which would fill a lane that nobody serves does not start (`requireLaneRows`).
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

/** Wakes up whoever serves the lanes of the jobs that a part named `queued` enqueued and that are due. */
export const WAKE_QUEUED = `select pg_notify('${WAKE_CHANNEL}', lane) from queued where run_at <= culprit_now() group by lane`;

/** When the queued job of a kind and key is due, as an expression of a statement; null where there is none. */
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
