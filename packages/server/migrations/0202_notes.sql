-- What people and agents write about incidents: notes, and proposed fixes (docs/contract/team-workflow.md 4 and 5.2).

create table incident_notes (
  note_id uuid primary key,
  project_id uuid not null,
  incident_id uuid not null,
  -- Stays when the account is deleted: a mere number then.
  author_user_id uuid not null,
  via text not null,
  -- Of the member token, as it was.
  token_label text,
  -- Null: deleted.
  body text,
  -- Places of people in the body: [{kind, id, offset, length}].
  mentions jsonb not null default '[]',
  created_at timestamptz(3) not null default culprit_now(),
  edited_at timestamptz(3),
  deleted_at timestamptz(3),
  check ((body is null) = (deleted_at is not null))
);
create index incident_notes_incident on incident_notes (incident_id, created_at, note_id);
create index incident_notes_author on incident_notes (author_user_id, created_at);

create table incident_fixes (
  fix_id uuid primary key,
  project_id uuid not null,
  incident_id uuid not null,
  author_user_id uuid not null,
  via text not null,
  token_label text,
  url text not null,
  commit_sha text,
  release text,
  summary text,
  verification jsonb,
  created_at timestamptz(3) not null default culprit_now()
);
create index incident_fixes_incident on incident_fixes (incident_id, created_at, fix_id);

create index incident_notes_project on incident_notes (project_id, note_id);
create index incident_fixes_project on incident_fixes (project_id, fix_id);
create index incident_triage_project on incident_triage (project_id, incident_id);
