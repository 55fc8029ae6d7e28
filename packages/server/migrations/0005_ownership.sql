-- Ownership (team-workflow.md 2.3): who gets which new incidents of a project.

create table ownership (
  project_id uuid primary key,
  version integer not null,
  text text not null check (octet_length(text) <= 65536),
  -- Whether lines name tags, which are counted some seconds after an incident was opened.
  has_tags boolean not null,
  updated_at timestamptz(3) not null default culprit_now(),
  updated_by_user_id uuid references users (user_id) on delete set null
);
create index ownership_editor on ownership (updated_by_user_id) where updated_by_user_id is not null;

-- Whether `files` are those of the application's own frames; null in rows that are older than the column.
alter table incident_search add column has_own_frames boolean;
