import { ACTIVITY_WINDOWS } from '@culprit/contract/incidents/incident-activity';
import {
  ACTIVE_SERVICES_MAX,
  type getServiceActivity as endpoint,
  type ServiceActivityAnswer,
} from '@culprit/contract/incidents/service-activity';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { readClock } from '../../../platform/db/read-clock.ts';
import { sql } from '../../../platform/db/statement.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { spanOf } from './incident-activity.ts';
import { countByService } from './occurrence-counts.queries.ts';

/** Returns the activity of a project's services (docs/contract/server-additions.md S10). */
export async function readServiceActivity(
  { database }: Runtime,
  { access: { projectId }, query: { window = '24h' } }: ApiRequest<typeof endpoint>,
): Promise<ServiceActivityAnswer> {
  const span = spanOf(window, await readClock(database));
  const rows = await database.query<{
    service_id: string;
    open_incidents: number;
    regressed_incidents: number;
    worst_severity: number | null;
    last_seen_at: number;
    latest_deployment_id: string | null;
  }>(SERVICES, [projectId, ACTIVE_SERVICES_MAX]);
  const { buckets } = ACTIVITY_WINDOWS[window];
  const counts = new Map(rows.map((row) => [row.service_id, Array<number>(buckets).fill(0)]));
  for (const { serviceId, bucket, occurrences } of await countByService(database, projectId, span)) {
    const ofService = counts.get(serviceId);
    if (ofService?.[bucket] !== undefined) ofService[bucket] += occurrences;
  }
  return {
    window: {
      from: formatTimestamp(span.fromSeconds * 1000),
      to: formatTimestamp(span.toSeconds * 1000),
      bucket_seconds: span.bucketSeconds,
    },
    services: rows.map((row) => ({
      service_id: row.service_id,
      open_incidents: row.open_incidents,
      regressed_incidents: row.regressed_incidents,
      worst_severity: row.worst_severity === null ? null : (SEVERITIES[row.worst_severity] ?? null),
      counts: counts.get(row.service_id) ?? [],
      last_event_at: formatTimestamp(row.last_seen_at),
      latest_deployment_id: row.latest_deployment_id,
    })),
  };
}

const SERVICES = sql('service-activity')`
    with active as (
      select service_id, count(*) filter (where status = 'open') as open_incidents,
        count(*) filter (where status = 'regressed') as regressed_incidents, max(severity) as worst_severity
      from incidents where project_id = $1 and status <> 'resolved' group by service_id
    )
    select s.service_id, coalesce(a.open_incidents, 0) as open_incidents,
      coalesce(a.regressed_incidents, 0) as regressed_incidents, a.worst_severity, s.last_seen_at,
      (select d.deployment_id from deployments d
        where d.project_id = $1 and d.service_name = s.name and d.environment = s.environment
        order by d.deployed_at desc, d.deployment_id desc limit 1) as latest_deployment_id
    from services s left join active a using (service_id)
    where s.project_id = $1
    order by s.last_seen_at desc, s.service_id limit $2`;
