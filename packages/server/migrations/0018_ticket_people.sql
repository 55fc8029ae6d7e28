-- Assignees and notes that cross between incidents and tickets (docs/contract/team-workflow.md 7.4) -------------------

alter table trackers
  add column sync_assignee text not null default 'none'
    check (sync_assignee in ('none', 'to_tracker', 'from_tracker')),
  -- Notes and comments cross that are newer; null: none do.
  add column notes_since timestamptz(3);

alter table incident_links
  -- The person of the incident that crossed last, and the tracker's id of the ticket's person when it was read last.
  add column seen_assignee_user_id uuid,
  add column seen_ticket_assignee text;

-- Comments of tickets have no author here. Every release reads an author that is missing as a deleted account.
alter table incident_notes alter column author_user_id drop not null;

-- Notes with the comment of a ticket that each became, or was.
create table note_comments (
  project_id uuid not null,
  incident_id uuid not null,
  link_id uuid not null references incident_links (link_id) on delete cascade,
  note_id uuid not null,
  -- The tracker's id of a comment that became a note; null: the note was written here.
  comment_id text,
  -- False: sent, but the answer is unknown.
  is_done boolean not null,
  primary key (project_id, incident_id, link_id, note_id)
);
create index note_comments_incident on note_comments (incident_id);
create unique index note_comments_comment on note_comments (link_id, comment_id);
