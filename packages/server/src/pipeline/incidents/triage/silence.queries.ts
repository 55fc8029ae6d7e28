import { inTransaction, statement } from '../../../platform/db/statement.ts';

/** Takes the project whose silent incidents were looked for the longest ago, if it is due; null when none is. */
export const claimSilenceCheck = statement.one<[], { projectId: string; days: number }>(
  'silence-claim',
  `update projects set silence_checked_at = culprit_now()
    where project_id = (
      select project_id from projects
      where resolves_after_days is not null and deleted_at is null
        and silence_checked_at <= (select culprit_now()) - interval '12 minutes'
      order by silence_checked_at limit 1 for no key update skip locked
    )
    returning project_id as "projectId", resolves_after_days as "days"`,
);

/**
 * Active incidents of a project without a signal or a change of status for some days, the oldest first. A check or a
 * job that still fails sends no signals while it does, so its incident is not silent.
 */
export const findSilent = inTransaction.many<
  [projectId: string, days: number, limit: number],
  { incident_id: string },
  string
>(
  'silence-incidents',
  // An event is received at most ten minutes before the time it is believed to have (docs/contract/incidents.md
  // 5.2), so the order of the index bounds the search.
  `with clock as materialized (select culprit_now() - make_interval(days => $2) as moment)
    select i.incident_id from incidents i, clock
    where i.project_id = $1 and i.status <> 'resolved' and i.seen_step <= clock.moment + interval '10 min'
      and greatest(i.newest_received_at, i.status_changed_at) <= clock.moment and i.snoozed_until is null
      and not exists (select from availability_checks c
        where c.project_id = $1 and c.incident_id = i.incident_id and c.status = 'failing')
      and not exists (select from heartbeats h
        where h.project_id = $1 and h.incident_id = i.incident_id and h.status = 'failing')
    order by i.seen_step, i.last_seen_at limit $3`,
  (row) => row.incident_id,
);
