-- The distinct users and requests of an incident in one row (docs/contract/incidents.md 3.6, 5.11): each set holds hashes
-- of eight bytes up to a thousand of them, then the registers of a sketch. A row for each user had two indexes, and
-- known requests were looked for in the events of seven days.
drop table incident_sketches;
drop table incident_members;
create table incident_members (
  project_id uuid not null,
  incident_id uuid not null,
  users bytea not null,
  requests bytea not null,
  -- The set is a sketch.
  users_are_estimated boolean not null,
  requests_are_estimated boolean not null,
  -- Each change replaces it, so that a worker recognizes a set that it remembers as outdated.
  stamp bigint not null,
  -- The members since the sets were written, the newest first: the log then holds only these, and the row stays in its page.
  changes bytea not null default '',
  primary key (project_id, incident_id)
) with (fillfactor = 50);
-- Hashes and registers do not compress.
alter table incident_members alter column users set storage external;
alter table incident_members alter column requests set storage external;
alter table incident_members alter column changes set storage plain;
