-- The person who first owned an organization here, who is the operator where no other is named
-- (docs/contract/server-additions.md S12). Written once: with that account goes the right, and it is never inherited.
create table first_owner (
  is_only boolean primary key default true check (is_only),
  -- Null: the account is gone.
  user_id uuid references users (user_id) on delete set null,
  written_at timestamptz(3) not null default culprit_now()
);
create index first_owner_user on first_owner (user_id);
insert into first_owner (user_id)
  select o.owner_user_id from organizations o
    join users u on u.user_id = o.owner_user_id and u.email_verified_at is not null
  order by o.created_at, o.organization_id limit 1;
