-- Needs releases that know 0013_provider_logout.sql

-- `provider_sign_ins` has both.
drop table github_sign_ins;
drop table oidc_sign_ins;
