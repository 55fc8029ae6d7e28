/**
 * The additions to the API that this server has, by which clients distinguish an older server from one that refuses
 * them (docs/contract/server-additions.md S1). A row adds its word when it lands.
 */
export const SERVER_FEATURES: readonly string[] = [
  'incident_search', // S2
  'incident_activity', // S3
  'occurrence_history', // S4
  'incident_history', // S5
  'structured_stack', // S6
  'deployments', // S9
  'service_activity', // S10
  'event_detail', // S7
  'lookup', // S8
  'event_fates', // S11
  'operator', // S12
  'capture_preview', // S13
  'alert_preview', // S14
  'alert_scopes', // docs/contract/notifications.md 1.3
  'delivery_detail', // S15
  'probe_results', // S16
  'check_rollups', // S18
  'tail', // S19
  'similar_incidents', // S20
  'stream', // S21
  'lifecycle_feed', // S22
  'token_access', // S23
  'source_trust', // S24
  'dsn_keys', // docs/contract/foreign-protocols.md 2
  'sentry_intake', // docs/contract/foreign-protocols.md 3
  'otlp_intake', // docs/contract/foreign-protocols.md 8
  'browser_reports', // docs/contract/foreign-protocols.md 9
  'heartbeats', // docs/contract/team-workflow.md 8
  'query_language', // docs/contract/team-workflow.md 1.1
  'tags', // docs/contract/team-workflow.md 1.3
  'mcp', // S26, unless its setting is off
  'source_maps', // docs/contract/source-maps.md, unless its setting is off
  'releases', // docs/contract/source-maps.md 10
  'assignment', // docs/contract/team-workflow.md
  'priority',
  'snooze',
  'notes',
  'watching', // docs/contract/team-workflow.md 4.1
  'fixes',
  'trackers', // docs/contract/team-workflow.md 7
  'saved_views',
  'teams',
  'personal_notifications',
  'ownership',
  'alert_verdicts', // docs/contract/notifications.md 1.21
  'alert_queries', // docs/contract/notifications.md 1.23
  'oidc', // docs/contract/team-workflow.md 9
  'cli_sign_in', // docs/contract/team-workflow.md 9.5
  'packages', // docs/contract/packages.md, unless its setting is off
];
