-- Notices to owners that an allowance is nearly or wholly used (notifications.md 6).
alter table usage_counters
  -- Of events, what the windows before left over, once somebody worked it out: so that whoever counts sees at once when
  -- the allowance is reached. What `billing/events-used.ts` says is what holds.
  add column carried bigint not null default 0,
  -- The highest percentage the owner was told of in this window: 0, 80 or 100.
  add column noticed_percent smallint not null default 0;
