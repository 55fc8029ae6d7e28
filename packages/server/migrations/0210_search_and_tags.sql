-- What incidents are found by, and their tags (docs/contract/team-workflow.md 1). Each lexeme begins with the end of its
-- project's id, so that one index holds the words and facts of every project apart.
create table incident_search (
  project_id uuid not null,
  incident_id uuid not null,
  document tsvector not null,
  -- As they were sent.
  types text[] not null,
  functions text[] not null,
  files text[] not null,
  routes text[] not null,
  statuses text[] not null,
  -- In the order in which they appeared.
  releases text[] not null,
  -- The first and the latest ones, in lower case.
  messages text[] not null,
  primary key (project_id, incident_id)
);
create index incident_search_incident on incident_search (incident_id);
create index incident_search_document on incident_search using gin (document) with (gin_pending_list_limit = 1024);

-- Incidents that are there already are found by their columns and titles, and by the rest with their next event.
insert into incident_search (project_id, incident_id, document, types, functions, files, routes, statuses, releases,
  messages)
select project_id, incident_id,
  array_to_tsvector(array(
    select distinct right(project_id::text, 6) || fact
    from unnest(array['s:' || service_name, 'e:' || environment, 'k:' || reason_kind]
      || array(select ' ' || word from regexp_split_to_table(lower(title), '[^[:alnum:]]+') word
        where length(word) between 2 and 64)) fact)),
  '{}', '{}', '{}', '{}', '{}', '{}', '{}'
from incidents;

create table incident_tags (
  project_id uuid not null,
  incident_id uuid not null,
  key text collate "C" not null,
  value text collate "C" not null,
  count bigint not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (project_id, key, value, incident_id)
) with (fillfactor = 85);
create index incident_tags_incident on incident_tags (incident_id);

-- Of all counted signals of a project by day: what is usual.
create table project_tags (
  project_id uuid not null,
  day date not null,
  key text collate "C" not null,
  value text collate "C" not null,
  count bigint not null,
  primary key (project_id, day, key, value)
) with (fillfactor = 85);

create index incident_members_member on incident_members (member);
-- Incidents of many users, and those that browsers reported.
create index incidents_users on incidents (project_id, affected_users) where affected_users > 0;
create index incidents_sources on incidents (project_id, sources) where sources <> 2;
