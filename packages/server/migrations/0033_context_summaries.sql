-- What a row of an incident's logs says (docs/contract/incidents.md 2.6); null for rows that an older release attached.
-- Own events of an incident are read where they lie.
alter table incident_context add column summary text;
