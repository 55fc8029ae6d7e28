-- Who sent the signals of an incident (docs/contract/command-line.md 6, A7): 1 browsers, 2 servers, 3 both; 0 for one that
-- only older releases counted, which is judged by the event that opened it.
alter table incidents add column sources smallint not null default 0;
