-- Requests to trackers (docs/contract/team-workflow.md 7) --------------------------------------------------------------

alter table trackers
  -- Fields that Jira requires of new tickets: a list of `{ id, value }`.
  add column extra_fields jsonb not null default '[]',
  -- Names the answer without tickets to the latest reading from `read_until`. Releases that do not know it move
  -- `read_until` on; a tag of an older question is only answered with a whole answer, or with that there is nothing.
  add column read_etag text;
