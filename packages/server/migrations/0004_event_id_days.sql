-- Days of a project that are over (incidents/processing/closed-days.ts). A worker has the ids of such a day in memory, as
-- a filter, and uses it while the day has the stamp with which it was read. A transaction that adds rows of events
-- with an id to a day that is listed here gives the day another stamp. Both hold the lock that the search for
-- repetitions takes, so a filter with the stamp of its day has every id of it.
create table event_id_days (
  project_id uuid not null,
  day date not null,
  stamp uuid not null,
  primary key (project_id, day)
);
