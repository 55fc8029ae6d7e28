-- The ledger as a feed in the order of transactions (docs/contract/command-line.md A3): rows whose transaction is older
-- than every open one can get no predecessors any more. All rows that are there get the number of this migration.
alter table lifecycle_events add column transaction_id xid8 not null default pg_current_xact_id();
create index lifecycle_events_feed on lifecycle_events (project_id, transaction_id, lifecycle_id);

-- Numbers of transactions mean something in one database only, so cursors name it. Its one row is not in backups.
create table lifecycle_feed (feed_id uuid primary key default gen_random_uuid());
insert into lifecycle_feed default values;
