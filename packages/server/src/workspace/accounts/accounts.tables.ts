import type { Table } from '../../table.ts';

export const ACCOUNT_TABLES: readonly Table[] = [
  {
    name: 'users',
    purge: 'no_project',
    retention: 'with_its_record',
    exported: [
      {
        kind: 'accounts',
        scope: 'user',
        key: 'user_id',
        columns: `user_id, email, name, handle, email_verified_at, terms_accepted_at, has_used_email, has_used_github,
          has_used_oidc, github_id::text as github_id, created_at`,
        from: 'users where user_id = $1',
      },
    ],
  },
  {
    name: 'organizations',
    purge: 'no_project',
    retention: 'with_its_record',
    exported: [
      {
        kind: 'organizations',
        scope: 'organization',
        key: 'organization_id',
        columns: `organization_id, name, plan, plan_started_at, trial_plan, trial_started_at, trial_ends_at,
          trial_converted_at, additional_units, pending_units, pending_units_at, created_at`,
        from: 'organizations where organization_id = $1',
      },
    ],
  },
  {
    name: 'first_owner',
    purge: 'no_project',
    retention: 'kept',
    exported: 'the operator of the installation',
  },
  {
    name: 'sessions',
    purge: 'no_project',
    // A month after their last possible moment.
    retention: { expired: `expires_at < (select culprit_now()) - interval '30 days'` },
    exported: [
      {
        kind: 'sessions',
        scope: 'user',
        key: 'session_id',
        columns:
          'session_id, organization_id, created_at, last_used_at, expires_at, revoked_at, address_class, browser',
        from: 'sessions where user_id = $1',
      },
    ],
  },
  {
    name: 'sign_in_codes',
    purge: 'no_project',
    retention: { expired: 'kept_until < (select culprit_now())' },
    exported: 'codes',
  },
  {
    name: 'sign_in_mails',
    purge: 'no_project',
    retention: { expired: `sent_at < (select culprit_now()) - interval '1 day'` },
    exported: 'limits of the day',
    isLeftOutOfBackups: true,
  },
  {
    name: 'sign_in_rates',
    purge: 'no_project',
    retention: { expired: `started_at < (select culprit_now()) - interval '1 hour'` },
    exported: 'limits of the hour',
    isLeftOutOfBackups: true,
  },
  {
    name: 'provider_sign_ins',
    purge: 'no_project',
    retention: 'by_its_statements',
    exported: 'sign-ins in progress',
  },
  {
    name: 'oidc_identities',
    purge: 'no_project',
    retention: 'with_its_record',
    exported: [
      {
        kind: 'oidc_identities',
        scope: 'user',
        key: { expression: 'issuer', type: 'text' },
        columns: 'issuer, subject, linked_at, last_sign_in_at',
        from: 'oidc_identities where user_id = $1',
      },
    ],
  },
  {
    name: 'oidc_logouts',
    purge: 'no_project',
    retention: { expired: 'expires_at < (select culprit_now())' },
    exported: 'logouts of the last minutes',
  },
  {
    name: 'cli_sign_ins',
    purge: 'no_project',
    retention: 'by_its_statements',
    exported: 'sign-ins in progress',
  },
  {
    name: 'device_requests',
    purge: 'no_project',
    retention: 'by_its_statements',
    exported: 'sign-ins in progress',
  },
];
