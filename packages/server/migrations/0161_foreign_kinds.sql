-- What foreign clients sent, by kind of item (docs/contract/foreign-protocols.md 11.6): also what is not taken, which
-- are no events.
create table foreign_kinds (
  project_id uuid not null references projects (project_id),
  hour timestamptz(3) not null,
  protocol text not null check (protocol in ('sentry', 'otlp', 'report')),
  kind text not null,
  taken bigint not null,
  not_taken bigint not null,
  over_limit bigint not null,
  last_at timestamptz(3) not null,
  primary key (project_id, hour, protocol, kind)
) with (fillfactor = 70);
