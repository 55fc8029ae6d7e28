-- Reports of suppressed repeats name an event that was sent (docs/contract/incidents.md 5.10), and an event id is known
-- for as long as repetitions are found by it: the row of the id tells which incident counted the event.

-- The first 64 bits of the fingerprint under which the event was counted, 0 when no incident counted it; null: not known,
-- as for events that an older release processed.
alter table event_ids add column signal_key bigint;
