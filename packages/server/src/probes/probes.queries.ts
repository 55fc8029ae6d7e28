import type { Queryable, Transaction } from '../platform/db/database.ts';
import { sql, statement } from '../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../platform/http/binding/time-page.ts';
import { lockProject } from '../workspace/projects/projects.queries.ts';
import type { ActiveProbe } from './active-probe.ts';

/** A row of `probe_activations` as the management API shows it; times in milliseconds since the epoch. */
export interface ActivationRow {
  /** Bare UUID. */
  activation_id: string;
  label_pattern: string;
  service: string;
  environment: string;
  created_at: number;
  expires_at: number;
  trigger_expires_at: number;
  /** Email address; null once the person is gone. */
  activated_by: string | null;
}

/** The days for which a row outlives its activation. Nothing reads it then; people who debug a database may. */
const KEPT_DAYS = 30;

/**
 * Locks a live project for an activation, so that the active ones are counted one after the other.
 * @returns how many are active, or null when the project is gone
 */
export async function lockProjectAndCountActive(
  transaction: Transaction,
  projectId: string,
): Promise<number | null> {
  if ((await lockProject(transaction, projectId)) === null) return null;
  const [row] = await transaction.query<{ active: number }>(COUNT_ACTIVE, [projectId]);
  return row?.active ?? 0;
}

const COUNT_ACTIVE = sql('probes-count-active')`select count(*) as active from probe_activations
    where project_id = $1 and deactivated_at is null and expires_at > (select culprit_now())`;

/** Writes an activation and deletes old ones of the project. */
export async function insertActivation(
  transaction: Transaction,
  activation: {
    activationId: string;
    projectId: string;
    labelPattern: string;
    service: string;
    environment: string;
    sampleRate: number;
    activatedByUserId: string;
    ttlSeconds: number;
    triggerTtlSeconds: number;
  },
): Promise<ActivationRow> {
  const [row] = await transaction.query<ActivationRow>(INSERT, [
    activation.activationId,
    activation.projectId,
    activation.labelPattern,
    activation.service,
    activation.environment,
    activation.sampleRate,
    activation.activatedByUserId,
    activation.ttlSeconds,
    activation.triggerTtlSeconds,
  ]);
  if (row === undefined) throw new Error('the activation row was not written');
  return row;
}

const INSERT = sql('probe-activation-insert')`
    with moment as (select culprit_now() as now), deleted as (
      delete from probe_activations
      where project_id = $2 and expires_at < (select now from moment) - interval '${KEPT_DAYS} days'
    ), inserted as (
      insert into probe_activations (activation_id, project_id, label_pattern, service, environment, sample_rate,
        activated_by_user_id, created_at, expires_at, trigger_expires_at)
      select $1, $2, $3, $4, $5, $6, $7, now,
        date_trunc('second', now) + make_interval(secs => $8::integer),
        date_trunc('second', now) + make_interval(secs => $9::integer)
      from moment returning *
    )
    select i.activation_id, i.label_pattern, i.service, i.environment, i.created_at, i.expires_at,
      i.trigger_expires_at, u.email as activated_by
    from inserted i left join users u on u.user_id = i.activated_by_user_id`;

/** A page of the project's active activations, newest first. */
export async function listActivations(
  database: Queryable,
  projectId: string,
  page: TimePage,
): Promise<ActivationRow[]> {
  return await database.query<ActivationRow>(LIST, [projectId, ...pageParameters(page)]);
}

const LIST = sql('probe-activations-list')`
    select a.activation_id, a.label_pattern, a.service, a.environment, a.created_at, a.expires_at,
      a.trigger_expires_at, u.email as activated_by
    from probe_activations a left join users u on u.user_id = a.activated_by_user_id
    where a.project_id = $1 and a.deactivated_at is null and a.expires_at > (select culprit_now())
      and ($2::timestamptz is null or (a.created_at, a.activation_id) < ($2, $3::uuid))
    order by a.created_at desc, a.activation_id desc limit $4`;

/**
 * Ends an active activation of the project; of two calls, the one that changes the row wins.
 * @returns when, in milliseconds since the epoch; null when nothing active has this id
 */
export async function endActivation(
  database: Queryable,
  projectId: string,
  activationId: string,
): Promise<number | null> {
  const [row] = await database.query<{ deactivated_at: number }>(END, [projectId, activationId]);
  return row?.deactivated_at ?? null;
}

const END = sql('probe-activation-end')`
    update probe_activations set deactivated_at = culprit_now()
    where project_id = $1 and activation_id = $2 and deactivated_at is null and expires_at > culprit_now()
    returning deactivated_at`;

/** The project's active probes, oldest first. Ingestion has them from its admission instead. */
export const findActiveProbes = statement.value<[projectId: string], ActiveProbe[]>(
  'probes-active',
  'select active_probes($1, culprit_now()) as probes',
  [],
);
