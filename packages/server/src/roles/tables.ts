import { CAPTURE_TABLES } from '../capture/capture.tables.ts';
import { INSTALLATION_TABLES } from '../installation/installation.tables.ts';
import { MAP_TABLES } from '../maps/maps.tables.ts';
import { AVAILABILITY_TABLES } from '../monitor/availability/availability.tables.ts';
import { CANARY_TABLES } from '../monitor/canary/canary.tables.ts';
import { HEARTBEAT_TABLES } from '../monitor/heartbeats/heartbeats.tables.ts';
import { ALERT_TABLES } from '../notify/alerts/alerts.tables.ts';
import { PERSONAL_TABLES } from '../notify/personal/personal.tables.ts';
import { REPORT_TABLES } from '../notify/reports/reports.tables.ts';
import { SLACK_TABLES } from '../notify/slack/slack.tables.ts';
import { TRACKER_TABLES } from '../notify/trackers/trackers.tables.ts';
import { WEBHOOK_TABLES } from '../notify/webhooks/webhooks.tables.ts';
import { BUNDLE_TABLES } from '../pipeline/bundles/bundles.tables.ts';
import { IMPROVEMENT_TABLES } from '../pipeline/improvements/improvements.tables.ts';
import { INCIDENT_TABLES } from '../pipeline/incidents/incidents.tables.ts';
import { INGEST_TABLES } from '../pipeline/ingest/ingest.tables.ts';
import { LEDGER_TABLES } from '../pipeline/ledger/ledger.tables.ts';
import { PROBE_TABLES } from '../probes/probes.tables.ts';
import { RELEASE_TABLES } from '../releases/releases.tables.ts';
import type { Table } from '../table.ts';
import { TICKET_TABLES } from '../tickets/tickets.tables.ts';
import { RETENTION_TABLES } from '../upkeep/retention/retention.tables.ts';
import { SAMPLE_DATA_TABLES } from '../upkeep/sample-data/sample-data.tables.ts';
import { ACCOUNT_DATA_TABLES } from '../workspace/account-data/account-data.tables.ts';
import { ACCOUNT_TABLES } from '../workspace/accounts/accounts.tables.ts';
import { AUDIT_TABLES } from '../workspace/audit/audit.tables.ts';
import { BILLING_TABLES } from '../workspace/billing/billing.tables.ts';
import { MEMBER_TABLES } from '../workspace/members/members.tables.ts';
import { PROJECT_TABLES } from '../workspace/projects/projects.tables.ts';
import { TEAM_TABLES } from '../workspace/teams/teams.tables.ts';
import { TOKEN_TABLES } from '../workspace/tokens/tokens.tables.ts';
import { VIEW_TABLES } from '../workspace/views/views.tables.ts';

/** Tables of the platform, which knows no projects. */
const PLATFORM_TABLES: readonly Table[] = [
  {
    name: 'jobs',
    purge: 'with_the_project',
    retention: 'by_its_statements',
    exported: 'work in progress',
  },
  {
    name: 'schema_migrations',
    purge: 'no_project',
    retention: 'kept',
    exported: 'the version of the schema',
    isLeftOutOfBackups: true,
  },
  {
    name: 'object_store',
    purge: 'no_project',
    retention: 'kept',
    exported: 'the name of the object store',
    isLeftOutOfBackups: true,
  },
];

/** Every table of the schema, a feature's own in the order in which the rows of a deleted project are removed. */
export const TABLES: readonly Table[] = [
  ...VIEW_TABLES,
  ...TICKET_TABLES,
  ...INCIDENT_TABLES,
  ...LEDGER_TABLES,
  ...BUNDLE_TABLES,
  ...INGEST_TABLES,
  ...RETENTION_TABLES,
  ...SAMPLE_DATA_TABLES,
  ...MAP_TABLES,
  ...RELEASE_TABLES,
  ...CAPTURE_TABLES,
  ...PROBE_TABLES,
  ...AVAILABILITY_TABLES,
  ...HEARTBEAT_TABLES,
  ...ALERT_TABLES,
  ...TRACKER_TABLES,
  ...WEBHOOK_TABLES,
  ...SLACK_TABLES,
  ...REPORT_TABLES,
  ...PERSONAL_TABLES,
  ...IMPROVEMENT_TABLES,
  ...MEMBER_TABLES,
  ...TEAM_TABLES,
  ...TOKEN_TABLES,
  ...PROJECT_TABLES,
  ...ACCOUNT_DATA_TABLES,
  ...ACCOUNT_TABLES,
  ...AUDIT_TABLES,
  ...BILLING_TABLES,
  ...CANARY_TABLES,
  ...INSTALLATION_TABLES,
  ...PLATFORM_TABLES,
];
