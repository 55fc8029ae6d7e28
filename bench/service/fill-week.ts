import type { BenchProject } from './service.ts';
import type { ServiceDatabase } from './service-database.ts';

const DAYS = 7;

/**
 * A week of events of the project's incidents straight into the tables, the way processing leaves them: rows of events
 * with their ids, two of three with the key under which libraries report repeats.
 */
export async function fillWeek(
  { database }: Pick<ServiceDatabase, 'database'>,
  { projectId }: Pick<BenchProject, 'projectId'>,
  events: number,
): Promise<void> {
  for (let day = DAYS; day >= 0; day -= 1) {
    await database.query(
      {
        name: 'bench-event-day',
        text: `select ensure_event_partition(((culprit_now() at time zone 'UTC')::date - $1::integer))`,
      },
      [day],
    );
  }
  for (let day = DAYS; day > 0; day -= 1) {
    await database.query(FILL_DAY, [projectId, day, Math.ceil(events / DAYS)]);
  }
  await database.script('vacuum analyze events');
}

const FILL_DAY = {
  name: 'bench-fill-day',
  text: `
    with made as materialized (
      select row_number() over (order by incident_id) as n, incident_id, service_id from incidents
      where project_id = $1
    ), day as materialized (
      select culprit_now() - make_interval(days => $2::integer)
        + n * (interval '1 day' / $3::integer) + interval '1 minute' as moment,
        1 + n % (select count(*) from made) as incident,
        (random() * 9e18)::bigint as id_hash, gen_random_uuid() as id
      from generate_series(0, $3::integer - 1) as n
    )
    insert into events (project_id, service_id, incident_id, batch_id, occurred_at, received_at, trace_hash,
      request_hash, session_hash, frame_offset, frame_length, record_offset, library, event_type, event_class, level,
      is_counted, event_id, report_key, id_hash, signal_key)
    select $1, service_id, incident_id, id, moment, moment, hour_key(id_hash + 1, moment), hour_key(id_hash + 2, moment),
      null, 0, 0, 0, 0, 0, 0, 4, true,
      id::text, case when id_hash % 3 > 0 then hour_key(id_hash, moment) end, id_hash, incident
    from day join made on n = incident`,
};
