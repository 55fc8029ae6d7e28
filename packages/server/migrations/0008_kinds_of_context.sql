-- The kinds of context that a project sent, as bits of `offers.ts`: claims look for nothing else around occurrences. A
-- bit is never removed. A project that is there may have sent all of them. The row is not that of the project, which
-- uploads and changes of members lock while a claim is open.
create table context_kinds (
  project_id uuid primary key references projects on delete cascade,
  offers integer not null
);
insert into context_kinds (project_id, offers) select project_id, 271 from projects;
