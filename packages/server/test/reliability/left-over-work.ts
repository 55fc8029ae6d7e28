import type { Database } from '../../src/platform/db/database.ts';

/** Everything that must be zero once the queue had time to empty, by name. */
export async function findLeftOverWork(
  database: Database,
  projectIds: readonly string[],
): Promise<Record<string, number>> {
  const [row] = await database.query<Record<string, number>>(
    { name: 'test-left-over-work', text: LEFT_OVER },
    [[...projectIds]],
  );
  if (row === undefined) throw new Error('the database answered nothing');
  return Object.fromEntries(Object.entries(row).filter(([, count]) => count !== 0));
}

const LEFT_OVER = `
  with of_project as (select unnest($1::uuid[]) as project_id)
  select
    (select count(*) from jobs join of_project on fairness_key = project_id) as jobs,
    (select count(*) from batches join of_project using (project_id)
      where processed_at is null and split_at is null) as batches_not_processed,
    (select coalesce(sum(event_count - parts), 0)::bigint from batches join of_project using (project_id)
      cross join lateral (select count(*) as parts from batch_parts p where p.batch_id = batches.batch_id) as p
      where split_at is not null) as parts_not_processed,
    (select count(*) from batches join of_project using (project_id)
      where processed_at is not null and split_at is not null) as batches_processed_and_split,
    (select count(*) from (
      select token_id from event_fates join of_project using (project_id) group by token_id
      having sum(events) filter (where fate = 'submitted') is distinct from sum(events) filter (where fate <> 'submitted')
    ) as t) as tokens_whose_fates_do_not_balance,
    (select count(*) from of_project p where
      (select coalesce(sum(events), 0) from event_fates f where f.project_id = p.project_id and fate = 'processed')
      <> (select count(*) from events e where e.project_id = p.project_id)) as projects_with_other_events_than_fates,
    (select count(*) from of_project p where
      (select count(*) from dead_letters d where d.project_id = p.project_id)
      <> (select coalesce(sum(events), 0) from event_fates f where f.project_id = p.project_id and fate = 'dead_letter'))
      as projects_with_other_dead_letters_than_fates,
    (select count(*) from of_project p where
      (select coalesce(sum(used), 0) from usage_counters join projects using (organization_id)
        where projects.project_id = p.project_id and meter = 'monthly_raw_ingested_events')
      <> (select count(*) from events e where e.project_id = p.project_id)) as projects_billed_for_other_events,
    (select count(*) from of_project p where
      (select coalesce(sum(used), 0) from usage_counters join projects using (organization_id)
        where projects.project_id = p.project_id and meter = 'monthly_bundle_requests')
      <> (select count(*) from lifecycle_events l where l.project_id = p.project_id and l.kind = 'bundle.created'))
      as projects_billed_for_other_bundles,
    (select count(*) from incidents i join of_project using (project_id)
      where occurrence_count <> (select count(*) from events e where e.incident_id = i.incident_id and e.is_counted))
      as incidents_with_other_counts_than_events,
    (select count(*) from incidents i join of_project using (project_id)
      where 1 <> (select count(*) from lifecycle_events l
        where l.incident_id = i.incident_id and l.kind = 'incident.opened')) as incidents_not_opened_once,
    (select count(*) from incidents i join of_project using (project_id) left join bundles b using (incident_id)
      where b.status is distinct from 'ready' or b.occurrence_count > i.occurrence_count) as bundles_not_ready,
    (select count(*) from incidents i join of_project using (project_id)
      where 1 <> (select count(*) from lifecycle_events l
        where l.incident_id = i.incident_id and l.kind = 'bundle.created')) as bundles_not_created_once`;
