-- Sample data of projects (docs/contract/server-additions.md S32) --------------------------------------------------------

-- One addition of sample data. Its events are those of one batch, which no client sent.
create table sample_data (
  project_id uuid not null,
  sample_id uuid not null,
  batch_id uuid not null,
  -- The receive time of the batch, by which its rows of events are found.
  received_at timestamptz(3) not null,
  added_by_user_id uuid,
  -- The time of the request to remove it; the row is removed with the data.
  removing_since timestamptz(3),
  primary key (project_id, sample_id)
);
-- A project has sample data once.
create unique index sample_data_live on sample_data (project_id) where removing_since is null;

-- The sample data to which an incident belongs. Its key is of these alone, so that no event of a client joins it.
alter table incidents add column sample_id uuid;
create index incidents_sample on incidents (project_id, sample_id) where sample_id is not null;
