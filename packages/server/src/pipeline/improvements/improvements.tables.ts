import { sql } from '../../platform/db/statement.ts';
import type { Table } from '../../table.ts';
import { projectFolder } from '../../workspace/projects/project-objects.ts';
import { DETECTORS } from './detectors.ts';

/** Windows of the detectors, as rows of a statement. */
const WINDOWS = Object.entries(DETECTORS)
  .map(([detector, { windowMs }]) => `('${detector}', interval '${windowMs} ms')`)
  .join(', ');

export const IMPROVEMENT_TABLES: readonly Table[] = [
  // Before the improvements, whose deletion would remove the rest of them in one statement.
  {
    name: 'improvement_counters',
    purge: ['by_blocks'],
    // The counters that no window reaches.
    retention: { expired: 'expires_at < (select culprit_now())' },
    exported: 'telemetry',
  },
  {
    name: 'improvement_attempts',
    purge: ['by_project'],
    retention: { expired: 'expires_at < (select culprit_now())' },
    exported: 'telemetry',
  },
  {
    name: 'improvement_samples',
    purge: ['by_blocks'],
    retention: 'with_its_record',
    exported: 'telemetry',
  },
  {
    name: 'improvements',
    purge: ['by_project'],
    retention: {
      // Improvements whose newest observation was received before the window, with their rows of the ledger
      // (docs/contract/incidents.md 6.3, 8). The folders of their bundles are marked for deletion, because a bundle
      // whose commit failed is named by no row; the project is locked, so that nothing is marked after its deletion.
      window: sql('retention-improvements')`
          with live as (
            select project_id from projects where project_id = $1 and deleted_at is null for key share
          ), old as (
            select i.improvement_id from improvements i join live using (project_id)
            where i.last_received_at < $2 and i.status <> 'candidate'
            order by i.improvement_id limit $3 for update of i skip locked
          ), gone as (
            delete from improvements i using old where i.improvement_id = old.improvement_id
            returning i.improvement_id
          ), unrecorded as (
            delete from lifecycle_events l using old where l.improvement_id = old.improvement_id
          ), marked as (
            insert into object_tombstones (object_key, project_id)
            select '${projectFolder('bundles', '')}' || $1::uuid || '/' || improvement_id || '/', $1 from gone
            on conflict do nothing
          )
          select count(*) as removed from gone`,
      // Candidates of which nothing was observed for as long as their detector counts.
      expired: sql('delete-expired-improvements')`with gone as (
            delete from improvements where ctid = any (array(
              select i.ctid from improvements i join (values ${WINDOWS}) as d (detector, counted) using (detector)
              where i.status = 'candidate' and i.last_received_at < (select culprit_now()) - d.counted limit $1))
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: [
      {
        kind: 'improvements',
        scope: 'service',
        key: 'improvement_id',
        columns: `improvement_id, project_id, service_id, service_name, environment, detector, title, summary, status,
          (array['low', 'medium', 'high', 'critical'])[severity + 1] as severity, first_detected_at, last_detected_at,
          occurrence_count, resolved_at, snoozed_until`,
        from: "improvements where service_id = $1 and status <> 'candidate'",
      },
    ],
    objectColumn: 'bundle_object_key',
  },
];
