-- The latest attempts of a delivery, oldest first: when each began, how long it took and what came of it.
alter table webhook_deliveries add column attempts jsonb not null default '[]';
