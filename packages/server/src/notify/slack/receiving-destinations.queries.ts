import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import type { Plan } from '../../workspace/billing/plan.ts';

/** Statements over destinations as messages go to them. Ids are bare UUIDs. */

/** The channel of an organization that a destination represents. */
export interface SlackChannelAddress {
  organizationId: string;
  slackTeamId: string;
  slackChannelId: string;
}

/** The fields of a destination that sending needs. */
interface SealedDestination {
  place: SlackChannelAddress;
  sealedUrl: Buffer;
  isActive: boolean;
  /** The plan of its organization, by the organization's own terms. */
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
    sql('slack-destination-sealed')`select d.slack_team_id, d.slack_channel_id, d.sealed_url, d.is_active,
          effective_plan(o, culprit_now()) as plan
        from slack_destinations d join organizations o on o.organization_id = d.organization_id
        where d.slack_destination_id = $2 and d.organization_id = $1`,
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
  /** Changes when it is connected again: each time it is encrypted anew. */
  sealedUrl: Buffer;
}

/** The names of a destination in the notice to the owner. */
interface InactiveDestination {
  slackTeamName: string | null;
  slackChannelName: string | null;
  ownerEmail: string;
}

/**
 * Makes an active destination inactive; null when it is so already, is gone, or was connected again since its address
 * was read.
 */
export async function deactivateDestinationRow(
  transaction: Transaction,
  opened: OpenedDestination,
): Promise<InactiveDestination | null> {
  const [row] = await transaction.query<InactiveDestination>(
    sql(
      'slack-destination-deactivate',
    )`update slack_destinations d set is_active = false, updated_at = culprit_now()
        from organizations o join users u on u.user_id = o.owner_user_id
        where d.slack_destination_id = $2 and d.organization_id = $1 and d.sealed_url = $3 and d.is_active
          and o.organization_id = d.organization_id
        returning d.slack_team_name as "slackTeamName", d.slack_channel_name as "slackChannelName",
            u.email as "ownerEmail"`,
    [opened.organizationId, opened.slackDestinationId, opened.sealedUrl],
  );
  return row ?? null;
}

/** Makes a destination active to which a message went; nothing when it was connected again since its address was read. */
export async function activateDestinationRow(database: Queryable, opened: OpenedDestination): Promise<void> {
  await database.query(
    sql(
      'slack-destination-activate',
    )`update slack_destinations set is_active = true, updated_at = culprit_now()
        where slack_destination_id = $2 and organization_id = $1 and sealed_url = $3 and not is_active`,
    [opened.organizationId, opened.slackDestinationId, opened.sealedUrl],
  );
}
