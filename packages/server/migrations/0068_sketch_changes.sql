-- Most claims change a few of the 4,096 registers of a sketch. They are kept beside it, three bytes each, until there are
-- many; rewriting the whole sketch took 20 times as long. Uncompressed, as pglz needs 200 µs for one.
alter table incident_sketches
  alter column registers set storage external,
  add column changes bytea not null default '';
