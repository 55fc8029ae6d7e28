-- A key under which a library may report repeats of an event (docs/contract/incidents.md 5.10) stands in the row of one
-- event that has it. A row of its own took a write of the table and one of a large index for each new text.
-- `suppression_keys` has what no row has room for: second keys of an event, and keys that reports keep alive.
alter table events add column report_key bigint;
create index events_report_key on events (report_key, received_at) where report_key is not null;
