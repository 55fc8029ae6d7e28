import { CAPTURE_RULE_RECORDS } from '../capture/capture.queries.ts';
import { MAP_UPLOAD_RECORDS, SOURCE_MAP_RECORDS } from '../maps/records/source-maps.queries.ts';
import { CHECK_RECORDS } from '../monitor/availability/checks.queries.ts';
import { HEARTBEAT_RECORDS } from '../monitor/heartbeats/heartbeats.queries.ts';
import { ALERT_RECORDS } from '../notify/alerts/alert-rules.queries.ts';
import { CHANNEL_RECORDS } from '../notify/reports/channels.queries.ts';
import { DESTINATION_RECORDS } from '../notify/slack/slack-destinations.queries.ts';
import { TRACKER_RECORDS } from '../notify/trackers/trackers.queries.ts';
import { WEBHOOK_RECORDS } from '../notify/webhooks/webhooks.queries.ts';
import { IMPROVEMENT_RECORDS } from '../pipeline/improvements/improvements.queries.ts';
import { INCIDENT_RECORDS } from '../pipeline/incidents/reading/incidents.queries.ts';
import { RELEASE_RECORDS } from '../releases/releases.queries.ts';
import type { RecordTables } from '../workspace/access/access.queries.ts';
import { INVITE_RECORDS } from '../workspace/members/invites.queries.ts';
import { MEMBER_RECORDS } from '../workspace/members/members.queries.ts';
import { TEAM_RECORDS } from '../workspace/teams/teams.queries.ts';

/** The tables in which a record that a request names is found, for every kind. */
export const RECORD_TABLES: RecordTables = {
  alert: ALERT_RECORDS,
  availability_check: CHECK_RECORDS,
  capture_rule: CAPTURE_RULE_RECORDS,
  heartbeat: HEARTBEAT_RECORDS,
  improvement: IMPROVEMENT_RECORDS,
  incident: INCIDENT_RECORDS,
  invite: INVITE_RECORDS,
  project_member: MEMBER_RECORDS,
  release: RELEASE_RECORDS,
  source_map: SOURCE_MAP_RECORDS,
  source_map_upload: MAP_UPLOAD_RECORDS,
  team: TEAM_RECORDS,
  slack_destination: DESTINATION_RECORDS,
  tracker: TRACKER_RECORDS,
  webhook: WEBHOOK_RECORDS,
  weekly_report_channel: CHANNEL_RECORDS,
};
