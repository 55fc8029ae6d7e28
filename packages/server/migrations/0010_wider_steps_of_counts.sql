-- A row of an incident that crosses a step gets an entry in each of its nine indexes: 48 to 75 µs and up to 1 KB of log.
-- Steps of counts are therefore twice as wide, for errors that occurred fewer than some hundred times most of all. A
-- page of a list sorts the rows of a step, which are twice as many.

-- Returns the step of an amount: each has at least twelve amounts; from 64 on there are four steps to each doubling.
-- Null for nothing.
create or replace function amount_step(amount bigint) returns integer
  language sql immutable parallel safe
  return case when amount >= 64 then floor(ln(amount::double precision / 64) * 5.7707801635558535)::integer + 4
    when amount > 0 then (amount / 16)::integer end;

-- Returns the step of an amount by which nothing is put in order: sixteen amounts, and from 64 on one for each doubling.
-- Null for nothing.
create or replace function wide_step(amount bigint) returns integer
  language sql immutable parallel safe
  return case when amount >= 64 then floor(ln(amount::double precision / 64) * 1.4426950408889634)::integer + 4
    when amount > 0 then (amount / 16)::integer end;

-- Computes the columns anew.
update incidents set occurrence_count = occurrence_count, affected_users = affected_users;
