import type { Queryable } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import { type Plan, type PlanSettings, planOverride } from '../../workspace/billing/plan.ts';
import { hasSlackDestinations } from '../../workspace/billing/plan-limits.ts';
import { findSealedDestination, type OpenedDestination } from './receiving-destinations.queries.ts';
import { lockSharedDestination } from './slack-destinations.queries.ts';
import { openSlackUrl } from './slack-url.ts';

/**
 * Returns true if an organization may connect and use destinations: on Team, and everywhere while plan limits are off.
 */
export function isSlackInPlan(plans: PlanSettings, plan: Plan): boolean {
  return !plans.isEnforced || hasSlackDestinations(planOverride(plans) ?? plan);
}

/**
 * A destination that a rule or a report may name: of the organization, on a plan that has them, with a Slack
 * application configured; judged in this order (docs/contract/notifications.md 0.2, 1.4). Inside a transaction it is
 * locked, so that it is not deleted before what names it is written: call it in the transaction that writes.
 * @returns its bare UUID, the form in which rules and reports store it: deletion compares it as text
 * @throws Problem `slack_destination_not_found`, `upgrade_required`, `slack_not_configured`
 */
export async function requireSlackDestination(
  transaction: Queryable,
  { plans, slackApp }: Pick<Runtime, 'plans' | 'slackApp'>,
  organizationId: string,
  destinationId: string,
): Promise<string> {
  const id = parseId([], destinationId);
  const found = id === null ? null : await lockSharedDestination(transaction, organizationId, id);
  if (id === null || found === null) throw new Problem('slack_destination_not_found');
  if (!isSlackInPlan(plans, found.plan)) throw new Problem('upgrade_required');
  if (slackApp === null) throw new Problem('slack_not_configured');
  return id;
}

/** A destination as a sender needs it. */
export interface OpenSlackDestination extends OpenedDestination {
  /** A secret: anyone who has it can post to the channel. */
  url: string;
  /** False: Slack refused it permanently. Only a test is attempted then (docs/contract/notifications.md 2.5). */
  isActive: boolean;
  /** False: the organization's plan has no destinations now, and nothing is sent (docs/contract/account.md 6.7). */
  isInPlan: boolean;
}

/**
 * Reads a destination for sending; null when it is gone.
 * @throws Error when the data key was changed since it was connected; connecting it again helps
 */
export async function openSlackDestination(
  database: Queryable,
  { plans, keys }: Pick<Runtime, 'plans' | 'keys'>,
  organizationId: string,
  slackDestinationId: string,
): Promise<OpenSlackDestination | null> {
  const found = await findSealedDestination(database, organizationId, slackDestinationId);
  if (found === null) return null;
  const { sealedUrl, isActive, plan } = found;
  const url = openSlackUrl(keys.slackUrls, sealedUrl, found.place);
  if (url === null)
    throw new Error('the address of a Slack destination cannot be read: the data key was changed');
  const isInPlan = isSlackInPlan(plans, plan);
  return { organizationId, slackDestinationId, url, isActive, isInPlan, sealedUrl };
}
