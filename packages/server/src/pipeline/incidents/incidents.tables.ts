import { sql } from '../../platform/db/statement.ts';
import type { Table } from '../../table.ts';

/** Returns a table whose rows belong to an incident and are removed with it. */
function ofIncident(name: string): Table {
  return { name, purge: ['by_incident'], retention: 'with_its_incident', exported: 'telemetry' };
}

export const INCIDENT_TABLES: readonly Table[] = [
  {
    name: 'ownership',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'ownership',
        scope: 'project',
        key: 'project_id',
        columns: 'project_id, version, text, updated_at, updated_by_user_id',
        from: 'ownership where project_id = $1',
      },
    ],
  },
  ofIncident('incident_aliases'),
  {
    name: 'incident_triage',
    purge: ['by_incident'],
    retention: 'with_its_incident',
    exported: [
      {
        kind: 'incident_triage',
        scope: 'project',
        key: 'incident_id',
        columns: `incident_id, project_id, priority, assignee_user_id, assignee_team_id, assigned_at, snoozed_at,
          snoozed_by_user_id, snooze_reason`,
        from: 'incident_triage where project_id = $1',
      },
    ],
  },
  {
    name: 'incident_notes',
    purge: ['by_incident'],
    retention: 'with_its_incident',
    exported: [
      {
        kind: 'incident_notes',
        scope: 'project',
        key: 'note_id',
        columns:
          'note_id, project_id, incident_id, author_user_id, via, body, mentions, created_at, edited_at, deleted_at',
        from: 'incident_notes where project_id = $1',
      },
    ],
  },
  {
    name: 'incident_watchers',
    purge: ['by_incident'],
    retention: 'with_its_incident',
    exported: [
      {
        kind: 'incident_watches',
        scope: 'user',
        key: 'incident_id',
        columns: 'project_id, incident_id, created_at',
        from: 'incident_watchers where user_id = $1',
      },
    ],
  },
  {
    name: 'incident_fixes',
    purge: ['by_incident'],
    retention: 'with_its_incident',
    exported: [
      {
        kind: 'incident_fixes',
        scope: 'project',
        key: 'fix_id',
        columns:
          'fix_id, project_id, incident_id, author_user_id, via, url, commit_sha, release, summary, verification, resolves, deployed_in, deployed_at, created_at',
        from: 'incident_fixes where project_id = $1',
      },
    ],
  },
  {
    name: 'snooze_memories',
    purge: ['by_project'],
    retention: { expired: 'snoozed_until < (select culprit_now())' },
    exported: 'what is left of snoozes',
  },
  {
    name: 'incident_slots',
    purge: ['by_project'],
    retention: {
      // Closed ones stay as long as their service: a person decided. Open ones stay with the incidents that they made.
      window: sql('retention-slots')`with gone as (
            delete from incident_slots where ctid = any (array(
              select ctid from incident_slots s where s.project_id = $1 and s.noted_at < $2
                and not exists (select from incidents i where i.incident_id = s.incident_id)
                and (s.closed_at is null or not exists (select from services v where v.service_id = s.service_id))
              limit $3))
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: 'telemetry',
  },
  {
    name: 'regroupings',
    purge: ['by_project'],
    retention: {
      // Kept as long as there can be incidents that it merged.
      window: sql('retention-regroupings')`with gone as (
            delete from regroupings where ctid = any (array(
              select ctid from regroupings where project_id = $1 and created_at < $2 limit $3))
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: 'telemetry',
  },
  {
    name: 'incident_numbers',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: 'what the numbers of incidents say',
  },
  // Derived: a trigger on the rows of incidents writes it, in a restore too.
  { ...ofIncident('incident_titles'), isLeftOutOfBackups: true },
  ofIncident('incident_resolutions'),
  ofIncident('incident_search'),
  ofIncident('incident_tags'),
  {
    name: 'project_tags',
    purge: ['by_project'],
    retention: {
      // Days that are no longer part of the usual values, whatever the window of the project.
      window: sql('retention-project-tags')`with gone as (
            delete from project_tags where ctid = any (array(
              select ctid from project_tags where project_id = $1
                and day < ((select culprit_now()) at time zone 'UTC')::date - 8 and $2::timestamptz is not null
              limit $3))
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: 'telemetry',
  },
  ofIncident('incident_minutes'),
  {
    ...ofIncident('incident_hours'),
    retention: {
      // The hours of incidents that live longer than their window; the rest is removed with its incident.
      window: sql('retention-incident-hours')`with gone as (
            delete from incident_hours where ctid = any (array(
              select h.ctid from incidents i join incident_hours h using (incident_id)
              where i.project_id = $1 and i.first_seen_at < $2
                and h.hour < floor(extract(epoch from $2::timestamptz) / 3600) - 1 limit $3))
            returning 1
          )
          select count(*) as removed from gone`,
    },
  },
  { ...ofIncident('incident_members'), isKeyedByProject: true },
  ofIncident('incident_samples'),
  ofIncident('incident_context'),
  {
    name: 'incidents',
    purge: ['by_incident'],
    retention: { task: 'retention.clean-project' },
    exported: [
      {
        kind: 'incidents',
        scope: 'service',
        // By the index that no event moves an incident in, so that each is met once.
        key: {
          text: `json_build_array(fingerprint_version, encode(fingerprint, 'hex'))::text`,
          first: '["",""]',
          isAfter: `(fingerprint_version, fingerprint) > ($2::json->>0, decode($2::json->>1, 'hex'))`,
          order: 'fingerprint_version, fingerprint',
        },
        columns: `incident_id, project_id, service_id, service_name, environment, title,
          (array['low', 'medium', 'high', 'critical'])[severity + 1] as severity, status, first_seen_at, last_seen_at,
          occurrence_count, affected_users, resolved_at, resolved_by_user_id, regressed_at, reason_kind,
          reason_description`,
        from: 'incidents where service_id = $1',
      },
    ],
  },
  {
    name: 'events',
    purge: ['by_blocks'],
    retention: { task: 'drop-event-days' },
    exported: 'telemetry',
  },
  {
    name: 'event_ids',
    purge: ['by_blocks'],
    retention: { task: 'remove-event-ids' },
    exported: 'telemetry',
  },
  {
    name: 'event_id_days',
    purge: ['by_project'],
    retention: 'by_its_statements',
    exported: 'telemetry',
  },
  {
    name: 'suppression_keys',
    purge: ['by_blocks'],
    retention: { task: 'remove-suppression-keys' },
    exported: 'telemetry',
  },
  {
    name: 'batch_parts',
    purge: [{ through: 'batches', key: 'batch_id', inBlocksWhere: 'split_at is not null' }],
    retention: { task: 'retention.clean-project' },
    exported: 'telemetry',
  },
  {
    name: 'dead_letters',
    purge: ['by_blocks'],
    retention: { task: 'retention.clean-project' },
    exported: 'telemetry',
  },
  {
    name: 'deployments',
    purge: ['by_project'],
    retention: {
      // By the time of receipt: they serve incidents.
      window: sql('retention-deployments')`with gone as (
            delete from deployments where ctid = any (array(
              select ctid from deployments where project_id = $1 and received_at < $2 limit $3))
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: [
      {
        kind: 'deployments',
        scope: 'project',
        key: 'deployment_id',
        columns:
          'deployment_id, project_id, service_name, environment, version, commit_sha, branch, deployed_at',
        from: 'deployments where project_id = $1',
      },
    ],
  },
  {
    name: 'client_counts',
    purge: ['by_project'],
    retention: {
      window: sql('retention-client-counts')`with gone as (
            delete from client_counts where ctid = any (array(
              select ctid from client_counts
              where project_id = $1 and day < ($2::timestamptz at time zone 'UTC')::date limit $3))
              and day < ($2::timestamptz at time zone 'UTC')::date
            returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: [
      {
        kind: 'client_counts',
        scope: 'project',
        key: {
          text: 'json_build_array(day, service_id, sdk_name, sdk_version, outcome)::text',
          first: '["-infinity","00000000-0000-0000-0000-000000000000","","",""]',
          isAfter: `(day, service_id, sdk_name, sdk_version, outcome) > (($2::json->>0)::date, ($2::json->>1)::uuid,
            $2::json->>2, $2::json->>3, $2::json->>4)`,
          order: 'day, service_id, sdk_name, sdk_version, outcome',
        },
        columns: 'project_id, service_id, day::text as day, sdk_name, sdk_version, outcome, events',
        from: 'client_counts where project_id = $1',
      },
    ],
  },
  {
    name: 'services',
    purge: ['by_project'],
    retention: {
      // Services that were not seen for the window and have no incident left (docs/contract/incidents.md 7.1). A worker
      // that sees one again moves its time first, so a service whose row is locked is alive.
      window: sql('retention-services')`with old as (
            select service_id from services s where project_id = $1 and last_seen_at < $2
              and not exists (select from incidents i where i.service_id = s.service_id)
            limit $3 for update skip locked
          ), gone as (
            delete from services s using old where s.service_id = old.service_id returning 1
          )
          select count(*) as removed from gone`,
    },
    exported: [
      {
        kind: 'services',
        scope: 'project',
        // Continues the index that begins with the project.
        key: {
          text: 'json_build_array(name, environment)::text',
          first: '["",""]',
          isAfter: '(name, environment) > ($2::json->>0, $2::json->>1)',
          order: 'name, environment',
        },
        columns: 'service_id, project_id, name, environment, runtime, framework, last_seen_at',
        from: 'services where project_id = $1',
      },
    ],
  },
];
