-- Where the code of a project's services is, for links to lines and commits (docs/contract/incidents.md 7.7).
alter table projects add column repositories jsonb not null default '[]';
