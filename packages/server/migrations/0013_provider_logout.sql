-- Logout by the OpenID Connect provider (team-workflow.md 9.2).

-- The provider that a session began with, and its own id of the person's session there, where it names one.
alter table sessions
  add column oidc_issuer text check (char_length(oidc_issuer) <= 2000),
  add column oidc_sid text check (char_length(oidc_sid) <= 255);
create index sessions_oidc_sid on sessions (oidc_sid) where oidc_sid is not null;

-- Logout tokens that were used, until they are too old to be accepted: SHA-256 of issuer and id.
create table oidc_logouts (
  token_hash bytea primary key,
  expires_at timestamptz(3) not null
);
create index oidc_logouts_expiry on oidc_logouts (expires_at);

-- Browser sign-ins in progress with a provider, found by the SHA-256 of their state.
create table provider_sign_ins (
  state_hash bytea primary key,
  method text not null check (method in ('github', 'oidc')),
  return_to text not null,
  expires_at timestamptz(3) not null
);
create index provider_sign_ins_expiry on provider_sign_ins (expires_at);
