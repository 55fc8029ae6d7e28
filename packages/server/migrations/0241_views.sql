-- Lists of incidents that people gave a name (docs/contract/team-workflow.md 1.4).
create table views (
  view_id uuid primary key,
  -- Null: all projects of its owner.
  project_id uuid,
  -- Null: it is shared with the people of its project.
  owner_user_id uuid references users on delete cascade,
  created_by_user_id uuid references users on delete set null,
  name text not null check (char_length(name) between 1 and 60),
  q text not null,
  status text not null,
  sort text not null,
  position integer not null,
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  check (project_id is not null or owner_user_id is not null)
);
create index views_project on views (project_id) where project_id is not null;
create index views_owner on views (owner_user_id) where owner_user_id is not null;
create index views_maker on views (created_by_user_id);
