-- How the client of the newest bundle's first event grouped it: evidence for similar incidents, and nothing else
-- (docs/contract/foreign-protocols.md 5.7).
alter table bundles add column client_grouping text;
