import type { SlackDestination } from '@culprit/contract/slack';
import { formatTimestamp } from '@culprit/contract/timestamps';
import type { Plan } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';

/** Statements over Slack destinations, each bound to an organization. Ids are bare UUIDs. */

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

/** A page of an organization's destinations, newest first; `after` is the last one of the page before. */
export async function listDestinationRows(
  database: Queryable,
  organizationId: string,
  page: { after: { createdAtMs: number; id: string } | null; limit: number },
): Promise<SlackDestination[]> {
  const rows = await database.query<DestinationRow>(
    {
      name: 'slack-destinations-list',
      text: `select slack_destination_id, organization_id, slack_team_id, slack_team_name, slack_channel_id,
          slack_channel_name, installed_by_member_id, is_active, created_at, updated_at
        from slack_destinations
        where organization_id = $1
          and ($2::timestamptz is null or (created_at, slack_destination_id) < ($2, $3::uuid))
        order by created_at desc, slack_destination_id desc limit $4`,
    },
    [
      organizationId,
      page.after === null ? null : new Date(page.after.createdAtMs),
      page.after?.id ?? null,
      page.limit,
    ],
  );
  return rows.map(recordOf);
}

/**
 * Holds a destination until the transaction ends, so that it cannot be deleted meanwhile, and tells its organization's
 * own plan; null when the organization has no such destination.
 */
export async function holdDestination(
  transaction: Queryable,
  organizationId: string,
  destinationId: string,
): Promise<{ plan: Plan } | null> {
  const [row] = await transaction.query<{ plan: Plan }>(
    {
      name: 'slack-destination-hold',
      text: `select effective_plan(o, culprit_now()) as plan
        from slack_destinations d join organizations o on o.organization_id = d.organization_id
        where d.slack_destination_id = $2 and d.organization_id = $1 for key share of d`,
    },
    [organizationId, destinationId],
  );
  return row ?? null;
}

/** Whether a destination belongs to the organization of a live project. */
export async function isDestinationOfProject(
  database: Queryable,
  projectId: string,
  destinationId: string,
): Promise<boolean> {
  const rows = await database.query(
    {
      name: 'slack-destination-of-project',
      text: `select 1 from slack_destinations d join projects p on p.organization_id = d.organization_id
        where d.slack_destination_id = $2 and p.project_id = $1 and p.deleted_at is null`,
    },
    [projectId, destinationId],
  );
  return rows.length > 0;
}

/** What a test message names: the project and the person by their address. Null when one of them is gone. */
export async function findTestNames(
  database: Queryable,
  projectId: string,
  userId: string,
): Promise<{ projectName: string; email: string } | null> {
  const [row] = await database.query<{ project_name: string; email: string }>(
    {
      name: 'slack-test-names',
      text: `select p.name as project_name, u.email from projects p, users u
        where p.project_id = $1 and p.deleted_at is null and u.user_id = $2`,
    },
    [projectId, userId],
  );
  return row === undefined ? null : { projectName: row.project_name, email: row.email };
}

/** The channel of an organization that a destination stands for. */
export interface SlackPlace {
  organizationId: string;
  slackTeamId: string;
  slackChannelId: string;
}

/** What sending needs of a destination. */
export interface SealedDestination {
  place: SlackPlace;
  sealedUrl: Buffer;
  isActive: boolean;
  /** Of its organization, by the organization's own terms. */
  plan: Plan;
}

export async function findSealedDestination(
  database: Queryable,
  organizationId: string,
  destinationId: string,
): Promise<SealedDestination | null> {
  const [row] = await database.query<{
    slack_team_id: string;
    slack_channel_id: string;
    sealed_url: Buffer;
    is_active: boolean;
    plan: Plan;
  }>(
    {
      name: 'slack-destination-sealed',
      text: `select d.slack_team_id, d.slack_channel_id, d.sealed_url, d.is_active,
          effective_plan(o, culprit_now()) as plan
        from slack_destinations d join organizations o on o.organization_id = d.organization_id
        where d.slack_destination_id = $2 and d.organization_id = $1`,
    },
    [organizationId, destinationId],
  );
  if (row === undefined) return null;
  return {
    place: { organizationId, slackTeamId: row.slack_team_id, slackChannelId: row.slack_channel_id },
    sealedUrl: row.sealed_url,
    isActive: row.is_active,
    plan: row.plan,
  };
}

/** A destination as it was when its address was read. */
export interface OpenedDestination {
  organizationId: string;
  slackDestinationId: string;
  /** Tells whether it was connected again since: each time it is encrypted anew. */
  sealedUrl: Buffer;
}

/** What the notice to the owner says of a destination. */
export interface InactiveDestination {
  slackTeamName: string | null;
  slackChannelName: string | null;
  ownerEmail: string;
}

/**
 * Makes an active destination inactive; null when it is so already, is gone, or was connected again since its address
 * was read.
 */
export async function deactivateDestinationRow(
  transaction: Queryable,
  opened: OpenedDestination,
): Promise<InactiveDestination | null> {
  const [row] = await transaction.query<{
    slack_team_name: string | null;
    slack_channel_name: string | null;
    owner_email: string;
  }>(
    {
      name: 'slack-destination-deactivate',
      text: `update slack_destinations d set is_active = false, updated_at = culprit_now()
        from organizations o join users u on u.user_id = o.owner_user_id
        where d.slack_destination_id = $2 and d.organization_id = $1 and d.sealed_url = $3 and d.is_active
          and o.organization_id = d.organization_id
        returning d.slack_team_name, d.slack_channel_name, u.email as owner_email`,
    },
    [opened.organizationId, opened.slackDestinationId, opened.sealedUrl],
  );
  if (row === undefined) return null;
  return {
    slackTeamName: row.slack_team_name,
    slackChannelName: row.slack_channel_name,
    ownerEmail: row.owner_email,
  };
}

/**
 * Writes a channel that was connected: a new destination, or the one it had before, so that what names it goes on
 * working (notifications.md 2.4). Null when the organization or the person is gone.
 */
export async function upsertDestination(
  transaction: Queryable,
  destination: {
    slackDestinationId: string;
    place: SlackPlace;
    slackTeamName: string | null;
    slackChannelName: string | null;
    installedByUserId: string;
    sealedUrl: Buffer;
  },
): Promise<{ slackDestinationId: string } | null> {
  const { place } = destination;
  const [row] = await transaction.query<{ slack_destination_id: string }>(
    {
      name: 'slack-destination-upsert',
      text: `insert into slack_destinations (slack_destination_id, organization_id, slack_team_id, slack_team_name,
          slack_channel_id, slack_channel_name, installed_by_member_id, sealed_url)
        select $1::uuid, o.organization_id, $3::text, $4::text, $5::text, $6::text, u.user_id, $8::bytea
          from organizations o, users u
          where o.organization_id = $2 and u.user_id = $7 for key share
        on conflict (organization_id, slack_team_id, slack_channel_id) do update set
          slack_team_name = excluded.slack_team_name, slack_channel_name = excluded.slack_channel_name,
          installed_by_member_id = excluded.installed_by_member_id, sealed_url = excluded.sealed_url,
          is_active = true, updated_at = culprit_now()
        returning slack_destination_id`,
    },
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

/** Makes a destination active to which a message went; nothing when it was connected again since its address was read. */
export async function activateDestinationRow(database: Queryable, opened: OpenedDestination): Promise<void> {
  await database.query(
    {
      name: 'slack-destination-activate',
      text: `update slack_destinations set is_active = true, updated_at = culprit_now()
        where slack_destination_id = $2 and organization_id = $1 and sealed_url = $3 and not is_active`,
    },
    [opened.organizationId, opened.slackDestinationId, opened.sealedUrl],
  );
}

/** Locks a destination, so that nothing comes to name it before it is deleted; false when it is gone. */
export async function lockDestination(
  transaction: Queryable,
  organizationId: string,
  destinationId: string,
): Promise<boolean> {
  const rows = await transaction.query(
    {
      name: 'slack-destination-lock',
      text: `select 1 from slack_destinations
        where slack_destination_id = $2 and organization_id = $1 for update`,
    },
    [organizationId, destinationId],
  );
  return rows.length > 0;
}

/**
 * Whether an alert rule or a weekly report of the organization names a destination, enabled or not (notifications.md
 * 2.5); those of deleted projects do not count. Ask it under `lockDestination`.
 */
export async function isDestinationUsed(
  transaction: Queryable,
  organizationId: string,
  destinationId: string,
): Promise<boolean> {
  const [row] = await transaction.query<{ is_used: boolean }>(
    {
      name: 'slack-destination-used',
      text: `
        with named_by as (
          select project_id from alert_rules
            where config->>'slack_destination_id' = $2 and config ? 'slack_destination_id'
          union all
          select project_id from weekly_report_channels
            where config->>'slack_destination_id' = $2 and config ? 'slack_destination_id'
        )
        select exists (select from named_by join projects p using (project_id)
          where p.organization_id = $1 and p.deleted_at is null) as is_used`,
    },
    [organizationId, destinationId],
  );
  return row?.is_used ?? false;
}

export async function deleteDestinationRow(
  transaction: Queryable,
  organizationId: string,
  destinationId: string,
): Promise<void> {
  await transaction.query(
    {
      name: 'slack-destination-delete',
      text: 'delete from slack_destinations where slack_destination_id = $2 and organization_id = $1',
    },
    [organizationId, destinationId],
  );
}
