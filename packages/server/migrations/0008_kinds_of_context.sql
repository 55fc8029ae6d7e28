-- The kinds of context that a project sent, as bits of `offers.ts`: claims look for nothing else around occurrences. A
-- bit is never removed. A project that is there may have sent all of them.
alter table projects add column context_offers integer not null default 271;
alter table projects alter column context_offers set default 0;
