import type { Table } from '../../table.ts';

export const AVAILABILITY_TABLES: readonly Table[] = [
  // Before the checks, whose deletion would remove the rest of them in one statement.
  {
    name: 'availability_results',
    purge: ['by_blocks'],
    retention: {
      expired: {
        name: 'delete-expired-availability_results',
        // By check, along the index that lists them: no run begins before its slot (docs/contract/account.md 6.1).
        text: `with gone as (
            delete from availability_results where ctid = any (array(
              select old.place from availability_checks c
              cross join lateral (
                select r.ctid as place from availability_results r
                where r.check_id = c.check_id and r.slot_at < (select culprit_now()) - interval '30 days'
                  and r.started_at < (select culprit_now()) - interval '30 days'
                limit $1
              ) old
              limit $1))
            returning 1
          )
          select count(*) as removed from gone`,
      },
    },
    exported: 'telemetry',
  },
  {
    name: 'availability_days',
    purge: ['by_blocks'],
    retention: { expired: `day < ((select culprit_now()) at time zone 'UTC')::date - 30` },
    exported: 'telemetry',
  },
  {
    name: 'availability_checks',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'availability_checks',
        scope: 'project',
        key: 'check_id',
        columns: `check_id, project_id, name, url, method, expected_status_min, expected_status_max, timeout_ms,
          interval_seconds, failure_threshold, recovery_threshold, environment, service_name, is_enabled, created_at,
          updated_at`,
        from: 'availability_checks where project_id = $1',
      },
    ],
  },
  {
    name: 'availability_tests',
    purge: ['by_project'],
    retention: { expired: `started_at < (select culprit_now()) - interval '1 hour'` },
    exported: 'a limit of the minute',
    isLeftOutOfBackups: true,
  },
];
