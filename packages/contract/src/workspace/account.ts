import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { RequestEmail } from './request-email.ts';
import { Session } from './sign-in.ts';

/** The text that a person must write before their account is deleted (docs/contract/account.md 5). */
export const DELETION_PHRASE = 'Delete my account';

const ConfirmationText = Type.String({ description: `Exactly \`${DELETION_PHRASE}\`` });

/** The records that were deleted with an account (docs/contract/account.md 5). */
export const DeletedAccount = Named('DeletedAccount', {
  deleted_at: Timestamp,
  organization_id: AnswerId(null),
  deleted_project_ids: Type.Array(AnswerId('proj')),
  user_deleted: Type.Literal(true),
  deleted_member_token_count: Type.Integer({ minimum: 0, description: 'Revoked ones included' }),
});
export type DeletedAccount = Static<typeof DeletedAccount>;

export const EXPORT_VERSION = 1;

const Records = Type.Array(
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true }),
);

const exportedArrays = {
  accounts: Records,
  oidc_identities: Records,
  sessions: Records,
  member_tokens: Records,
  memberships: Records,
  own_actions: Records,
  organizations: Records,
  group_grants: Records,
  slack_destinations: Records,
  usage: Records,
  audit: Records,
  projects: Records,
  project_usage: Records,
  members: Records,
  invites: Records,
  project_tokens: Records,
  capture_rules: Records,
  probe_activations: Records,
  alerts: Records,
  alert_deliveries: Records,
  availability_checks: Records,
  heartbeats: Records,
  webhooks: Records,
  weekly_report_channels: Records,
  services: Records,
  client_counts: Records,
  deployments: Records,
  releases: Records,
  incidents: Records,
  incident_triage: Records,
  incident_notes: Records,
  incident_fixes: Records,
  incident_watches: Records,
  incident_links: Records,
  trackers: Records,
  ownership: Records,
  teams: Records,
  own_teams: Records,
  notification_settings: Records,
  own_views: Records,
  shared_views: Records,
  improvements: Records,
  source_maps: Records,
};

/** The name of an array in an export. */
export type ExportedKind = keyof typeof exportedArrays;

/** The names of all arrays in an export, in their order. */
export const EXPORTED_KINDS: readonly string[] = Object.keys(exportedArrays);

/** The content of an account: records, not telemetry; no hashes, secrets and codes (docs/contract/account.md 5). */
export const AccountExport = Named('AccountExport', {
  export_version: Type.Literal(EXPORT_VERSION),
  exported_at: Timestamp,
  ...exportedArrays,
});

export const exportAccount = defineEndpoint({
  id: 'exportAccount',
  method: 'GET',
  path: '/v1/account/export',
  summary: 'Download all data of the account as one JSON document without secrets',
  auth: 'session',
  scope: { of: 'organization' },
  role: 'owner',
  responses: { 200: AccountExport },
});

export const requestDeletionCode = defineEndpoint({
  id: 'requestDeletionCode',
  method: 'POST',
  path: '/v1/account/delete/request-otp',
  summary: 'Request the code that deletes the account, by e-mail',
  auth: 'session',
  scope: { of: 'organization' },
  role: 'owner',
  body: Closed({ confirmation_text: ConfirmationText }),
  responses: { 200: Closed({ success: Type.Literal(true) }) },
  errors: ['invalid_confirmation', 'rate_limited', 'account_deletion_verification_unavailable'],
});

export const deleteAccount = defineEndpoint({
  id: 'deleteAccount',
  method: 'DELETE',
  path: '/v1/account',
  summary: 'Delete the account with its organization, projects, sessions and tokens; this cannot be undone',
  auth: 'session',
  scope: { of: 'organization' },
  role: 'owner',
  body: Closed({
    confirmation_text: ConfirmationText,
    otp: Type.String({
      pattern: '^[0-9]{6}$',
      description: 'The mailed code, in the session that requested it',
    }),
  }),
  responses: { 200: Closed({ account: DeletedAccount }) },
  errors: ['invalid_confirmation', 'invalid_otp', 'other_owned_projects_exist', 'rate_limited'],
});

const MailedCode = Type.String({
  pattern: '^[0-9]{6}$',
  description: 'Mailed to the new address; valid once, for 10 minutes, in the session that requested it',
});
const CurrentCode = Type.String({ pattern: '^[0-9]{6}$', description: 'Mailed to the current address' });

export const requestEmailChange = defineEndpoint({
  id: 'requestEmailChange',
  method: 'POST',
  path: '/v1/account/email/request-code',
  summary:
    'Mail a code to the new address of the account, and another to the current one; the response is the same for every address',
  auth: 'session',
  scope: { of: 'person' },
  body: Closed({ email: RequestEmail }),
  responses: { 200: Closed({ success: Type.Literal(true) }) },
  errors: ['rate_limited', 'mail_not_configured'],
});

export const confirmEmailChange = defineEndpoint({
  id: 'confirmEmailChange',
  method: 'POST',
  path: '/v1/account/email/confirm',
  summary: 'Change the address of the account, with the codes sent to both addresses; the other sessions end',
  auth: 'session',
  scope: { of: 'person' },
  body: Closed({ email: RequestEmail, code: MailedCode, current_code: CurrentCode }),
  responses: { 200: Closed({ session: Session }) },
  errors: ['invalid_code', 'rate_limited'],
});
