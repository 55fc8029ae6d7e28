-- Groups of the sign-in provider fill teams (docs/contract/team-workflow.md 9.4).

-- The source that put a person into a team: people, or the groups of the person at their last sign-in.
alter table team_members add column source text not null default 'manual' check (source in ('manual', 'oidc'));

-- The team that people of the group come into; null: none.
alter table group_grants add column team_id uuid references teams (team_id) on delete set null;
create index group_grants_team on group_grants (team_id) where team_id is not null;
