-- Tickets of incidents (docs/contract/team-workflow.md 7): settings of one link, back links, and a pause that looks at the
-- latest ten minutes.
alter table incident_links
  -- The settings in which this link differs from its tracker, as the API names them.
  add column sync jsonb not null default '{}',
  -- Notes and comments cross that are newer, where this link sets that they do.
  add column notes_since timestamptz(3),
  -- The tracker is still to get its link to the incident.
  add column needs_back_link boolean not null default false,
  -- Rows of the ledger that are still to be said in a comment.
  add column to_say bigint[] not null default '{}',
  -- The times at which changes crossed, kept for ten minutes.
  add column moved_at timestamptz(3)[] not null default '{}',
  drop column moves,
  drop column moves_since;
