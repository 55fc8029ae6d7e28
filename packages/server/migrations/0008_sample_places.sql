-- A kept occurrence has one of seven places of its incident, so that the next one in its role takes its row: the latest
-- changes with each claim, and had a new row and a new entry in the index each time.
create table placed_samples (
  incident_id uuid not null,
  place smallint not null,
  event_id text collate "C" not null,
  effective_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  severity smallint not null,
  richness smallint not null,
  roles text[] not null,
  is_origin_bound boolean not null,
  batch_id uuid not null,
  frame_offset integer not null,
  frame_length integer not null,
  record_offset integer not null,
  primary key (incident_id, place)
) with (fillfactor = 50);
insert into placed_samples (incident_id, place, event_id, effective_at, received_at, severity, richness, roles,
    is_origin_bound, batch_id, frame_offset, frame_length, record_offset)
  select incident_id, row_number() over (partition by incident_id order by event_id) - 1, event_id, effective_at,
    received_at, severity, richness, roles, is_origin_bound, batch_id, frame_offset, frame_length, record_offset
  from incident_samples;
drop table incident_samples;
alter table placed_samples rename to incident_samples;
alter index placed_samples_pkey rename to incident_samples_pkey;
