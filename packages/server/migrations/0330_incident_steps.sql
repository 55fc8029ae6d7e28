-- Lists are ordered by columns that move with each event. Indexes on steps of them let the row of an incident move in
-- its page, without an entry in any index, until a step is crossed (docs/architecture.md).

-- Eight at least in a step; from 64 on, eight steps for each doubling. Null of nothing.
create function amount_step(amount bigint) returns integer
  language sql immutable parallel safe
  return case when amount >= 64 then floor(ln(amount::double precision / 64) * 11.541560327111707)::integer + 8
    when amount > 0 then (amount / 8)::integer end;

create function seen_step(seen_at timestamptz) returns timestamptz
  language sql immutable parallel safe
  return date_bin('1 min', seen_at, timestamptz '2000-01-01 00:00:00+00');

drop index incidents_active;
drop index incidents_list;
drop index incidents_occurrences;
drop index incidents_severity;
drop index incidents_users;

-- Half of each page is left for the next versions of its rows.
alter table incidents set (fillfactor = 50);
alter table incident_tags set (fillfactor = 50);

alter table incidents
  add column seen_step timestamptz(3) not null generated always as (seen_step(last_seen_at)) stored,
  add column count_step integer not null generated always as (amount_step(occurrence_count)) stored,
  add column users_step integer generated always as (amount_step(affected_users::bigint)) stored;

create index incidents_list on incidents (project_id, seen_step desc);
create index incidents_active on incidents (project_id, seen_step desc) where status <> 'resolved';
create index incidents_occurrences on incidents (project_id, count_step desc);
create index incidents_severity on incidents (project_id, severity desc, seen_step desc);
create index incidents_users on incidents (project_id, users_step) where users_step is not null;
