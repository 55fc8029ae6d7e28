import type { ProblemCode } from '@culprit/contract/endpoints/problems';

/** The kind of a failure; the command line ends with an exit code for each. */
type FailureKind = 'failed' | 'usage' | 'notFound' | 'auth' | 'refused' | 'unreachable' | 'unsupported';

/** The meaning of a code of the API for people and agents. */
interface ProblemWords {
  says: string;
  /** The next step. */
  hint: string | null;
  kind: FailureKind;
}

const of =
  (kind: FailureKind) =>
  (says: string, hint: string | null = null): ProblemWords => ({ says, hint, kind });
const usage = of('usage');
const missing = of('notFound');
const auth = of('auth');
const refused = of('refused');
const away = of('unreachable');
const unsupported = of('unsupported');
const failed = of('failed');

const list = (what: string) => `culprit ${what} list`;
const BILLING = 'culprit billing show';

/** The words for every code of the API (docs/contract/account.md 9). A code that is not here is shown unchanged. */
export const PROBLEM_WORDS = {
  invalid_payload: usage('The server does not accept these values.', 'see --help for what each flag takes'),
  invalid_content_type: failed(
    'The server does not accept the format of the request.',
    'update this program',
  ),
  invalid_query: usage(
    'The server does not accept this filter or cursor.',
    'see --help for what each flag takes',
  ),
  invalid_project_id: usage('That is not the id of a project.', list('projects')),
  invalid_alert_id: usage('That is not the id of an alert.', list('alerts')),
  invalid_invite_id: usage('That is not the id of an invite.', list('invites')),
  invalid_member_id: usage('That is not the id of a person.', list('members')),
  invalid_weekly_report_channel_id: usage('That is not the id of a report.', list('reports')),
  invalid_incident_id: usage('That is not the id of an incident.', list('incidents')),
  invalid_improvement_id: usage('That is not the id of an improvement.', list('improvements')),
  invalid_webhook_id: usage('That is not the id of a webhook.', list('webhooks')),
  invalid_delivery_id: usage('That is not the id of a delivery.', 'culprit webhooks deliveries ID'),
  invalid_token_id: usage('That is not the id of a token.', list('tokens')),
  invalid_slack_destination_id: usage('That is not the id of a Slack destination.', list('slack')),
  invalid_availability_check_id: usage('That is not the id of a check.', list('checks')),
  invalid_heartbeat_id: usage('That is not the id of a heartbeat.', list('heartbeats')),
  invalid_capture_rule_id: usage('That is not the id of a filter.', list('filters')),
  invalid_release_id: usage('That is not the id of a release.', list('releases')),
  invalid_upload_id: usage('That is not the id of an upload.', 'culprit sourcemaps uploads'),
  invalid_source_map_id: usage('That is not the id of a source map.', list('sourcemaps')),
  blocked_target: refused(
    'The server does not send requests to that address.',
    'name a public address, or ask its operator',
  ),
  invalid_code: auth(
    'The code is wrong, used or expired.',
    'ask for a new one: culprit login --email ADDRESS',
  ),
  invalid_token: auth('The invite is wrong, used or expired.', 'ask for a new invite'),
  invalid_confirmation: usage('The confirmation does not match.', null),
  invalid_otp: auth('The code is wrong, used or expired.', 'ask for a new one'),
  invalid_oauth_state: auth(
    'The sign-in in the browser took too long or was started elsewhere.',
    'culprit login',
  ),
  github_email_missing: refused(
    'GitHub returned no verified address for your account.',
    'gh auth refresh -s user:email',
  ),
  invalid_member_token: auth(
    'The server does not accept {credential}. It was revoked, or the server was set up again.',
    'culprit login',
  ),
  invalid_project_token: auth(
    'The server does not accept {credential}. It was revoked, or the server was set up again.',
    'culprit tokens create --label NAME',
  ),
  invalid_session: auth('The session has ended.', 'culprit login'),
  invalid_github_token: auth(
    'GitHub or this server does not accept the GitHub token.',
    'gh auth login, or culprit login --github-device',
  ),
  origin_not_allowed: refused(
    'The token is bound to browser origins and cannot be used from a server or a terminal.',
    'create one without --allowed-origin: culprit tokens create --label NAME',
  ),
  invalid_csrf_token: failed('The session was not confirmed.', 'culprit login'),
  forbidden: refused(
    'Your role or your token does not allow this.',
    'ask the owner of the project: culprit members list',
  ),
  upgrade_required: refused('The plan of this organization does not include this.', BILLING),
  shared_access_suspended: refused(
    "Access to this project is paused, because its owner's plan does not include other members.",
    'ask the owner of the project',
  ),
  email_verification_required: refused(
    'Your address is not verified yet.',
    'sign in once by mail: culprit login --email ADDRESS',
  ),
  invite_email_mismatch: refused(
    'The invite is for another address.',
    'sign in with the address that was invited',
  ),
  github_identity_not_allowed: refused(
    'This GitHub account cannot sign in here.',
    'sign in another way: culprit login --email ADDRESS',
  ),
  not_found: unsupported(
    "This server does not support the command's endpoint.",
    'update the server, or ask its operator',
  ),
  project_not_found: missing('There is no such project, or you cannot see it.', list('projects')),
  incident_not_found: missing('There is no such incident, or you cannot see it.', list('incidents')),
  release_not_found: missing('There is no such release.', list('releases')),
  event_not_found: missing('There is no such event in this incident.', 'culprit logs REF'),
  event_expired: missing('The details of this event are no longer stored.', 'culprit logs REF'),
  reproduction_not_found: missing('There is no reproduction for this incident.', 'culprit bundle REF'),
  slot_not_found: missing('There is no such slot in the grouping of the incident.', null),
  regrouping_not_found: missing(
    'There is no such regrouping, or it was undone.',
    'culprit projects regroupings',
  ),
  improvement_not_found: missing('There is no such improvement.', list('improvements')),
  member_not_found: missing('There is no such person in this project.', list('members')),
  invalid_note_id: usage('That is not the id of a note.', 'culprit incidents notes REF'),
  invalid_view_id: usage('That is not the id of a view.', 'culprit views list'),
  invalid_tracker_id: usage('That is not the id of an issue tracker.', list('trackers')),
  invalid_link_id: usage('That is not the id of a link.', 'culprit incidents links REF'),
  invalid_fix_id: usage('That is not the id of a fix.', 'culprit incidents fixes REF'),
  note_not_found: missing('There is no such note on this incident.', 'culprit incidents notes REF'),
  view_not_found: missing('There is no such view.', 'culprit views list'),
  tracker_not_found: missing('There is no such issue tracker in this project.', list('trackers')),
  link_not_found: missing('There is no such link on this incident.', 'culprit incidents links REF'),
  ticket_not_found: missing(
    'The issue tracker has no such ticket.',
    'check its key, and the target of the tracker',
  ),
  invalid_team_id: usage('That is not the id of a team.', 'culprit teams list'),
  version_conflict: refused('Another person has changed it.', 'reload it'),
  team_not_found: missing('There is no such team.', 'culprit teams list'),
  fix_not_found: missing('There is no such fix for this incident.', 'culprit incidents fixes REF'),
  assignee_not_found: missing(
    'Not every project of these incidents has this person or team.',
    'culprit members people',
  ),
  invite_not_found: missing('There is no such invite.', list('invites')),
  rule_not_found: missing('There is no such filter.', list('filters')),
  suggestion_not_found: missing('This suggestion no longer exists.', 'culprit capture suggest REF'),
  activation_not_found: missing('There is no such activation, or it has ended.', list('probes')),
  alert_not_found: missing('There is no such alert.', list('alerts')),
  delivery_not_found: missing('There is no such delivery.', 'culprit webhooks deliveries ID'),
  slack_destination_not_found: missing('There is no such Slack destination.', list('slack')),
  weekly_report_channel_not_found: missing('There is no such report.', list('reports')),
  webhook_not_found: missing('There is no such webhook.', list('webhooks')),
  service_not_found: missing('There is no such service in this project.', list('services')),
  dsn_key_not_found: missing('There is no such DSN key.', list('keys')),
  token_not_found: missing('There is no such token.', list('tokens')),
  upload_not_found: missing('There is no such upload.', 'culprit sourcemaps uploads'),
  part_not_found: missing('The upload has no such part.', 'run the same command again'),
  source_map_not_found: missing('There is no such source map.', list('sourcemaps')),
  availability_check_not_found: missing('There is no such check.', list('checks')),
  heartbeat_not_found: missing('There is no such heartbeat.', list('heartbeats')),
  grant_not_found: missing('There is no such grant.', list('groups')),
  device_request_not_found: auth('The sign-in has expired.', 'culprit login'),
  checkout_session_not_found: missing('There is no such checkout.', BILLING),
  slack_destination_in_use: refused(
    'Alerts or reports still use it.',
    'change them first: culprit alerts list',
  ),
  weekly_report_channel_disabled: refused('The report is disabled.', 'culprit reports update ID --enable'),
  weekly_report_channel_exists: refused('This report already exists.', list('reports')),
  parts_missing: refused('Parts of the upload are missing.', 'run the same command again'),
  upload_closed: refused('The upload is finished.', 'run the same command again'),
  source_map_budget_exceeded: refused(
    'The source maps of the project use their whole budget, and none is old enough to be removed.',
    'delete some with: culprit sourcemaps delete ID; or raise CULPRIT_SOURCE_MAP_BYTES',
  ),
  release_unknown: refused(
    'No release of its service is known, so there is no next release.',
    'resolve it without a release, or give one: --in-release VERSION',
  ),
  resource_limit_reached: refused(
    'The limit for this kind of record is reached.',
    'delete one that is no longer needed',
  ),
  link_exists: refused('The incident already has this ticket or link.', 'culprit incidents links REF'),
  hook_by_hand: refused(
    'You create the webhook of this tracker by hand.',
    'culprit trackers hook ID shows an address and a secret for it',
  ),
  tracker_in_use: refused(
    'Incidents have tickets in this issue tracker.',
    'disconnect it in the dashboard, which keeps them as links',
  ),
  tracker_refused: refused(
    'The issue tracker refused the token or the request.',
    'culprit trackers update ID --token-file FILE',
  ),
  incident_resolved: refused('A resolved incident cannot be snoozed.', 'culprit incidents reopen REF'),
  handle_taken: refused('Another person or team has this handle.', 'choose another: --handle NAME'),
  incident_key_taken: refused('Another project has this key.', 'choose another: --incident-key KEY'),
  project_slug_taken: refused('Another of your projects has this slug.', 'choose another: --slug NAME'),
  member_already_exists: refused('This person is already in the project.', list('members')),
  invite_already_exists: refused('This address is already invited.', list('invites')),
  owner_role_change_not_allowed: refused('The role of the owner cannot be changed.', null),
  owner_removal_not_allowed: refused(
    'The owner cannot be removed from the project.',
    'culprit projects delete',
  ),
  probe_limit_reached: refused('The limit of active probes is reached.', 'culprit probes deactivate ID'),
  bundle_not_ready: refused('The bundle is not ready yet.', 'culprit bundle REF --wait'),
  incidents_of_different_services: refused(
    'The incidents belong to different services.',
    'choose incidents of one service',
  ),
  grouping_changed: refused('The grouping of the project has changed.', 'culprit projects regroupings'),
  capture_rule_exists: refused('This rule already exists.', list('filters')),
  capture_rule_limit_reached: refused('The limit of filters is reached.', 'culprit capture rules delete ID'),
  heartbeat_exists: refused('This heartbeat already exists.', list('heartbeats')),
  availability_check_limit_reached: refused('The limit of checks is reached.', BILLING),
  availability_check_interval_too_low: refused(
    'The plan does not allow an interval this short.',
    'choose a longer one: --interval-seconds',
  ),
  trial_unavailable: refused('A trial is not available for this organization.', BILLING),
  trial_conversion_required: refused('Convert the trial to a plan first.', BILLING),
  invalid_target_quantity: usage('That amount of capacity is not available.', BILLING),
  capacity_not_available: refused('Capacity can be changed only with a paid plan.', BILLING),
  pending_reduction_exists: refused('A reduction is already scheduled.', 'culprit billing capacity keep'),
  no_pending_reduction: refused('No reduction is scheduled.', BILLING),
  plan_managed_by_configuration: refused('The operator of this server sets the plan.', null),
  invalid_plan_change: refused('The plan cannot be changed that way.', BILLING),
  no_active_subscription: refused('There is no active subscription.', BILLING),
  checkout_not_complete: refused('The checkout is not complete.', BILLING),
  device_request_not_claimable: auth(
    'The sign-in was not approved, or was already used.',
    'culprit login --github-device',
  ),
  other_owned_projects_exist: refused('You own other projects.', list('projects')),
  payload_too_large: usage('The request is larger than the server accepts.', null),
  rate_limited: away('Too many requests.', 'try again later'),
  monthly_quota_exceeded: refused("This month's quota is used up.", BILLING),
  internal_error: away('The server failed.', 'try again; its operator finds the request id in the log'),
  tracker_unreachable: away('The issue tracker could not be reached.', 'try again later'),
  slack_delivery_failed: away('Slack did not accept the message.', list('slack')),
  service_unavailable: away('The server cannot respond now.', 'try again; culprit doctor'),
  outcome_unknown: away(
    'The server took too long, and may have made the change.',
    'check whether it was made before you retry',
  ),
  request_timeout: away('The server took too long.', 'try again; culprit doctor'),
  mail_not_configured: unsupported('This server sends no mail.', 'ask its operator'),
  auth_not_configured: unsupported(
    'This way of signing in is not set up on this server.',
    'sign in another way: culprit login',
  ),
  github_unavailable: away('GitHub does not respond.', 'try again, or sign in another way: culprit login'),
  slack_not_configured: unsupported('Slack is not set up on this server.', 'ask its operator'),
  billing_not_configured: unsupported('This server does not accept payments.', null),
  billing_service_error: away('The payment provider does not respond.', 'try again'),
  account_deletion_verification_unavailable: away('The deletion cannot be confirmed now.', 'try again'),
} as const satisfies Partial<Record<ProblemCode, ProblemWords>>;

/** The words for a code; null for one that a newer server has. */
export function problemWords(code: string): ProblemWords | null {
  const table: Readonly<Record<string, ProblemWords>> = PROBLEM_WORDS;
  return (Object.hasOwn(table, code) ? table[code] : undefined) ?? null;
}
