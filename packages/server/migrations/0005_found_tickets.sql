-- Tickets of incidents (docs/contract/team-workflow.md 7): searches by key, links of merged incidents, and comments where a
-- link is deleted.
alter table incident_links
  -- The incidents to which the link belonged before merges and splits, its own first.
  add column former_incident_ids uuid[] not null default '{}',
  -- The time at which a merge brought the link: notes that are older do not cross.
  add column joined_at timestamptz(3),
  -- Labels and priority of a ticket that is still to be created, in the names of its tracker.
  add column labels text[] not null default '{}',
  add column priority text;
create index incident_links_key on incident_links (project_id, (lower(key) collate "C")) where key is not null;
create index incident_links_url on incident_links (project_id, (url collate "C")) where url is not null;

-- Tickets whose link a person removed, which are still to say so.
create table unlinked_tickets (
  project_id uuid not null,
  incident_id uuid not null,
  link_id uuid not null,
  tracker_id uuid not null references trackers (tracker_id) on delete cascade,
  remote_id text not null,
  created_at timestamptz(3) not null default culprit_now(),
  primary key (project_id, incident_id, link_id)
);
create index unlinked_tickets_tracker on unlinked_tickets (tracker_id, created_at);

-- Incidents that were merged before.
update incident_links k set incident_id = i.incident_id, former_incident_ids = array[k.incident_id],
    joined_at = culprit_now(), seen_resolved = i.status = 'resolved'
  from incident_aliases a join incidents i on i.incident_id = a.incident_id
  where a.from_incident_id = k.incident_id and a.merged_into is not null;
update note_comments c set incident_id = k.incident_id from incident_links k
  where k.link_id = c.link_id and k.incident_id <> c.incident_id;

-- Configurations in check-ins create and change heartbeats (docs/contract/team-workflow.md 8).
alter table projects add column heartbeats_from_clients boolean not null default true;
