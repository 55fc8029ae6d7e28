-- When the document of an incident was written: one that is new waits before it takes messages of a known form
-- (docs/contract/team-workflow.md 1.2).
alter table incident_search
  add column written_at timestamptz(3) not null default '2000-01-01 00:00:00+00';

-- What moves with each event stands at the end of a row of `incidents`, because the log takes all that lies between the
-- first and the last column that changed. The steps are wider, so that the row of an incident that is seen each minute, or
-- by more and more people, changes in its page too. The table is written anew, which takes some seconds for 100,000 rows.
drop index incidents_active;
drop index incidents_list;
drop index incidents_occurrences;
drop index incidents_severity;
drop index incidents_users;
alter table incidents
  drop column seen_step,
  drop column count_step,
  drop column users_step,
  add column moved_last_seen_at timestamptz(3) not null generated always as (last_seen_at) stored,
  add column moved_newest_received_at timestamptz(3) not null generated always as (newest_received_at) stored,
  add column moved_spike_last_true_at timestamptz(3) generated always as (spike_last_true_at) stored,
  add column moved_occurrence_count bigint not null generated always as (occurrence_count) stored,
  add column moved_occurrences_without_request_id bigint not null generated always as (occurrences_without_request_id) stored,
  add column moved_occurrences_with_request_block bigint not null generated always as (occurrences_with_request_block) stored,
  add column moved_suppressed_count bigint not null generated always as (suppressed_count) stored,
  add column moved_affected_users integer not null generated always as (affected_users) stored,
  add column moved_distinct_requests integer not null generated always as (distinct_requests) stored;
alter table incidents
  alter column moved_last_seen_at drop expression,
  alter column moved_newest_received_at drop expression,
  alter column moved_spike_last_true_at drop expression,
  alter column moved_occurrence_count drop expression,
  alter column moved_occurrences_without_request_id drop expression,
  alter column moved_occurrences_with_request_block drop expression,
  alter column moved_suppressed_count drop expression,
  alter column moved_affected_users drop expression,
  alter column moved_distinct_requests drop expression,
  drop column last_seen_at,
  drop column newest_received_at,
  drop column spike_last_true_at,
  drop column occurrence_count,
  drop column occurrences_without_request_id,
  drop column occurrences_with_request_block,
  drop column suppressed_count,
  drop column affected_users,
  drop column distinct_requests;
alter table incidents rename column moved_last_seen_at to last_seen_at;
alter table incidents rename column moved_newest_received_at to newest_received_at;
alter table incidents rename column moved_spike_last_true_at to spike_last_true_at;
alter table incidents rename column moved_occurrence_count to occurrence_count;
alter table incidents rename column moved_occurrences_without_request_id to occurrences_without_request_id;
alter table incidents rename column moved_occurrences_with_request_block to occurrences_with_request_block;
alter table incidents rename column moved_suppressed_count to suppressed_count;
alter table incidents rename column moved_affected_users to affected_users;
alter table incidents rename column moved_distinct_requests to distinct_requests;

-- Returns the five minutes of a time.
create or replace function seen_step(seen_at timestamptz) returns timestamptz
  language sql immutable parallel safe
  return date_bin('5 min', seen_at, timestamptz '2000-01-01 00:00:00+00');

-- Returns the step of an amount by which nothing is put in order: eight amounts, and from 64 on one for each doubling.
-- Null for nothing.
create function wide_step(amount bigint) returns integer
  language sql immutable parallel safe
  return case when amount >= 64 then floor(ln(amount::double precision / 64) * 1.4426950408889634)::integer + 8
    when amount > 0 then (amount / 8)::integer end;

alter table incidents
  alter column occurrences_without_request_id set default 0,
  alter column occurrences_with_request_block set default 0,
  alter column suppressed_count set default 0,
  alter column affected_users set default 0,
  alter column distinct_requests set default 0,
  add constraint incidents_occurrence_count_check check (occurrence_count >= 1),
  add constraint incidents_check2 check (first_seen_at <= last_seen_at),
  add column seen_step timestamptz(3) not null generated always as (seen_step(last_seen_at)) stored,
  add column count_step integer not null generated always as (amount_step(occurrence_count)) stored,
  add column users_step integer generated always as (wide_step(affected_users::bigint)) stored;
create index incidents_list on incidents (project_id, seen_step desc);
create index incidents_active on incidents (project_id, seen_step desc) where status <> 'resolved';
create index incidents_occurrences on incidents (project_id, count_step desc);
create index incidents_severity on incidents (project_id, severity desc, seen_step desc);
create index incidents_users on incidents (project_id, users_step) where users_step is not null;
