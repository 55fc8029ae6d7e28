-- What each release of a client library sent, and what it says that it lost before sending (docs/contract/incidents.md
-- 7.1.1): some rows for each service, library, version and day.
create table client_counts (
  project_id uuid not null,
  -- UTC, of the receipt.
  day date not null,
  service_id uuid not null,
  sdk_name text not null,
  sdk_version text not null,
  -- `received`, or the reason of a loss.
  outcome text not null,
  events bigint not null,
  primary key (project_id, day, service_id, sdk_name, sdk_version, outcome)
) with (fillfactor = 70);
