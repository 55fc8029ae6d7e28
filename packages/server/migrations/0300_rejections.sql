-- Why events were rejected, by hour, token and reason (docs/contract/ingestion.md 3.6). A reason repeats words of the
-- event, so senders could invent any number of them: beyond a number for each project and hour they are counted
-- together, with an empty reason.
create table rejections (
  project_id uuid not null references projects (project_id),
  hour timestamptz(3) not null,
  token_id uuid not null,
  reason text not null,
  events bigint not null,
  last_at timestamptz(3) not null,
  primary key (project_id, hour, token_id, reason)
) with (fillfactor = 70);
