-- Whether people try things in the environment of an incident, which decides its priority
-- (docs/contract/team-workflow.md 5.1): a part of the name between signs that are no letters. Lists judge each active
-- incident, so it is stored.
alter table incidents add column is_test_environment boolean not null generated always as (
  lower(environment) ~ '(^|[^a-z])(dev|development|local|localhost|ci|test|tests|testing|qa|uat|stage|staging|stg|preview|review|sandbox|demo)([^a-z]|$)'
) stored;
