-- By which key a client library reports suppressed repeats of the signals of an incident
-- (docs/contract/incidents.md 5.10): a few rows for each incident, removed when nothing had the key for seven days.
create table suppression_keys (
  service_id uuid not null,
  -- 64 bits of the library's fingerprint.
  client_key bigint not null,
  project_id uuid not null,
  incident_id uuid not null,
  seen_at timestamptz(3) not null,
  primary key (service_id, client_key)
) with (fillfactor = 90);
