-- Orders of the list of incidents other than by latest activity, and those that spike (docs/contract/dashboard.md 9, A-2).
create index incidents_first_seen on incidents (project_id, first_seen_at desc, incident_id desc);
create index incidents_occurrences on incidents (project_id, occurrence_count desc, incident_id desc);
create index incidents_severity on incidents (project_id, severity desc, last_seen_at desc, incident_id desc);
create index incidents_spiking on incidents (project_id, spike_detected_at) where spike_detected_at is not null;
