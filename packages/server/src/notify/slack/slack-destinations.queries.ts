import type { SlackDestination } from '@culprit/contract/alerts/slack';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { RecordTable } from '../../workspace/access/access.queries.ts';
import type { Plan } from '../../workspace/billing/plan.ts';
import type { SlackChannelAddress } from './receiving-destinations.queries.ts';

/** The table in which the binder finds a destination that a request names. */
export const DESTINATION_RECORDS: RecordTable = {
  from: 'slack_destinations d join projects dp on dp.organization_id = d.organization_id',
  projectId: 'dp.project_id',
  recordId: 'd.slack_destination_id',
};

/** Statements over destinations as people manage them, each bound to an organization. Ids are bare UUIDs. */

interface DestinationRow {
  slack_destination_id: string;
  organization_id: string;
  slack_team_id: string;
  slack_team_name: string | null;
  slack_channel_id: string;
  slack_channel_name: string | null;
  installed_by_member_id: string | null;
  is_active: boolean;
  created_at: number;
  updated_at: number;
}

function recordOf(row: DestinationRow): SlackDestination {
  return {
    ...row,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

/** A page of an organization's destinations, newest first. */
export async function listDestinationRows(
  database: Queryable,
  organizationId: string,
  page: TimePage,
): Promise<SlackDestination[]> {
  const rows = await database.query<DestinationRow>(
    sql(
      'slack-destinations-list',
    )`select slack_destination_id, organization_id, slack_team_id, slack_team_name, slack_channel_id,
          slack_channel_name, installed_by_member_id, is_active, created_at, updated_at
        from slack_destinations
        where organization_id = $1
          and ($2::timestamptz is null or (created_at, slack_destination_id) < ($2, $3::uuid))
        order by created_at desc, slack_destination_id desc limit $4`,
    [organizationId, ...pageParameters(page)],
  );
  return rows.map(recordOf);
}

/**
 * Locks a destination until the transaction ends, so that it cannot be deleted in the meantime, and returns its
 * organization's own plan; null when the organization has no such destination.
 */
export const lockSharedDestination = statement.one<
  [organizationId: string, destinationId: string],
  { plan: Plan }
>(
  'slack-destination-lock-shared',
  `select effective_plan(o, culprit_now()) as plan
    from slack_destinations d join organizations o on o.organization_id = d.organization_id
    where d.slack_destination_id = $2 and d.organization_id = $1 for key share of d`,
);

/** Returns the names in a test message: the project, and the person's address. Null when one of them is gone. */
export const findTestNames = statement.one<
  [projectId: string, userId: string],
  { projectName: string; email: string }
>(
  'slack-test-names',
  `select p.name as "projectName", u.email from projects p, users u
    where p.project_id = $1 and p.deleted_at is null and u.user_id = $2`,
);

/**
 * Writes a channel that was connected: a new destination, or the one it had before, so that records that name it still
 * work (docs/contract/notifications.md 2.4). Null when the organization or the person is gone.
 */
export async function upsertDestination(
  transaction: Queryable,
  destination: {
    slackDestinationId: string;
    place: SlackChannelAddress;
    slackTeamName: string | null;
    slackChannelName: string | null;
    installedByUserId: string;
    sealedUrl: Buffer;
  },
): Promise<{ slackDestinationId: string } | null> {
  const { place } = destination;
  const [row] = await transaction.query<{ slack_destination_id: string }>(
    sql(
      'slack-destination-upsert',
    )`insert into slack_destinations (slack_destination_id, organization_id, slack_team_id, slack_team_name,
          slack_channel_id, slack_channel_name, installed_by_member_id, sealed_url)
        select $1::uuid, o.organization_id, $3::text, $4::text, $5::text, $6::text, u.user_id, $8::bytea
          from organizations o, users u
          where o.organization_id = $2 and u.user_id = $7 for key share
        on conflict (organization_id, slack_team_id, slack_channel_id) do update set
          slack_team_name = excluded.slack_team_name, slack_channel_name = excluded.slack_channel_name,
          installed_by_member_id = excluded.installed_by_member_id, sealed_url = excluded.sealed_url,
          is_active = true, updated_at = culprit_now()
        returning slack_destination_id`,
    [
      destination.slackDestinationId,
      place.organizationId,
      place.slackTeamId,
      destination.slackTeamName,
      place.slackChannelId,
      destination.slackChannelName,
      destination.installedByUserId,
      destination.sealedUrl,
    ],
  );
  return row === undefined ? null : { slackDestinationId: row.slack_destination_id };
}

/** Locks a destination, so that nothing comes to name it before it is deleted; false when it is gone. */
export const lockDestination = inTransaction.exists<[organizationId: string, destinationId: string]>(
  'slack-destination-lock',
  `select 1 from slack_destinations
    where slack_destination_id = $2 and organization_id = $1 for update`,
);

/**
 * Returns true if an alert rule or a weekly report of the organization names a destination, enabled or not
 * (docs/contract/notifications.md 2.5); those of deleted projects do not count. Call it under `lockDestination`.
 */
export const isDestinationUsed = inTransaction.value<
  [organizationId: string, destinationId: string],
  boolean
>(
  'slack-destination-used',
  `
    with named_by as (
      select project_id from alert_rules
        where config->>'slack_destination_id' = $2 and config ? 'slack_destination_id'
      union all
      select project_id from weekly_report_channels
        where config->>'slack_destination_id' = $2 and config ? 'slack_destination_id'
    )
    select exists (select from named_by join projects p using (project_id)
      where p.organization_id = $1 and p.deleted_at is null) as is_used`,
  false,
);

export const deleteDestinationRow = inTransaction.run<[organizationId: string, destinationId: string]>(
  'slack-destination-delete',
  'delete from slack_destinations where slack_destination_id = $2 and organization_id = $1',
);
