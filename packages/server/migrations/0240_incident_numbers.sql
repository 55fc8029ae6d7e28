-- Short numbers of incidents, such as CHECKOUT-42: the key of the project and a number that counts its incidents
-- (docs/contract/team-workflow.md 0.2).

alter table projects
  add column incident_key text check (incident_key ~ '^[A-Z][A-Z0-9]{1,9}$'),
  -- Earlier keys, the newest first: what was written with them still leads to the incident.
  add column former_incident_keys text[] not null default '{}';
create unique index projects_incident_key on projects (incident_key) where deleted_at is null;

-- The first free key for a slug: its letters and digits, or its first word, with 2, 3 and so on where others have it.
create function free_incident_key(slug text) returns text language plpgsql volatile as $$
declare
  whole text := ltrim(regexp_replace(upper(slug), '[^A-Z0-9]+', '', 'g'), '0123456789');
  first text := ltrim(regexp_replace(upper(split_part(slug, '-', 1)), '[^A-Z0-9]+', '', 'g'), '0123456789');
  base text := case when char_length(whole) <= 10 or char_length(first) < 2 then whole else first end;
  candidate text;
  tries integer := 1;
begin
  base := left(case char_length(base) when 0 then 'INC' when 1 then base || 'X' else base end, 10);
  candidate := base;
  -- Keys are chosen by one transaction at a time.
  perform pg_advisory_xact_lock(hashtextextended('culprit.incident_keys', 0));
  while exists (select from projects p where p.incident_key = candidate and p.deleted_at is null) loop
    tries := tries + 1;
    -- After a few, a part of a random id: a usual name must not make a long walk.
    candidate := left(base, 6)
      || case when tries <= 20 then tries::text else upper(left(gen_random_uuid()::text, 4)) end;
  end loop;
  return candidate;
end $$;

create function give_incident_key() returns trigger language plpgsql as $$
begin
  new.incident_key := free_incident_key(new.slug);
  return new;
end $$;
create trigger projects_give_incident_key before insert on projects
  for each row when (new.incident_key is null) execute function give_incident_key();

do $$
declare
  project record;
begin
  for project in select project_id, slug from projects order by created_at, project_id loop
    update projects set incident_key = free_incident_key(project.slug) where project_id = project.project_id;
  end loop;
end $$;
alter table projects alter column incident_key set not null;

-- The last number that an incident of the project got.
create table incident_numbers (
  project_id uuid primary key,
  last_number integer not null
) with (fillfactor = 50);

alter table incidents add column number integer;
update incidents i set number = n.number
from (
  select incident_id, row_number() over (partition by project_id order by first_seen_at, incident_id) as number
  from incidents
) n where n.incident_id = i.incident_id;
insert into incident_numbers select project_id, max(number) from incidents group by project_id;
alter table incidents alter column number set not null;
create unique index incidents_number on incidents (project_id, number);
