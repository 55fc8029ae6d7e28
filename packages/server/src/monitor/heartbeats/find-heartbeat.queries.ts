import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';

/** The heartbeat with this ping key in a live project; null for none. */
export const findByPingKey = statement.one<[pingKey: string], { projectId: string; heartbeatId: string }>(
  'heartbeat-by-key',
  `select h.project_id as "projectId", h.heartbeat_id as "heartbeatId"
    from heartbeats h join projects p using (project_id)
    where h.ping_key = $1 and p.deleted_at is null`,
);

/** The heartbeat with this slug and environment; null for none. */
export async function findBySlug(
  database: Queryable,
  projectId: string,
  slug: string,
  environment: string,
): Promise<{ projectId: string; heartbeatId: string } | null> {
  const [row] = await database.query<{ heartbeat_id: string }>(
    sql(
      'heartbeat-by-slug',
    )`select heartbeat_id from heartbeats where project_id = $1 and slug = $2 and environment = $3`,
    [projectId, slug, environment],
  );
  return row === undefined ? null : { projectId, heartbeatId: row.heartbeat_id };
}

/** Returns some heartbeats that should be judged now, the longest overdue first. */
export const findDue = statement.many<[limit: number], { projectId: string; heartbeatId: string }>(
  'heartbeats-due',
  `select project_id as "projectId", heartbeat_id as "heartbeatId" from heartbeats
    where is_enabled and judge_at <= (select culprit_now()) order by judge_at limit $1`,
);
