-- Search in the list of incidents (docs/contract/dashboard.md 9, A-2). It reads the titles of a project
-- one by one, so they stand in a table of their own, in lower case and without the wide columns beside them.
create table incident_titles (
  incident_id uuid primary key,
  project_id uuid not null,
  title text not null
);

-- A trigger, so that incidents of older releases that still run beside this one, and restored ones, are found too.
create function add_incident_titles() returns trigger language plpgsql as $$
begin
  insert into incident_titles (incident_id, project_id, title)
    select incident_id, project_id, lower(title) from added on conflict do nothing;
  return null;
end $$;
create trigger incidents_titles after insert on incidents referencing new table as added
  for each statement execute function add_incident_titles();

insert into incident_titles (incident_id, project_id, title)
  select incident_id, project_id, lower(title) from incidents on conflict do nothing;
create index incident_titles_project on incident_titles (project_id);
