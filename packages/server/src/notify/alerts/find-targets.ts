import type { AlertChannel, AlertConfig } from '@culprit/contract/alerts/alerts';
import type { Queryable } from '../../platform/db/database.ts';
import { openConfig } from '../../platform/secrets/sealed-address.ts';
import type { Runtime } from '../../runtime.ts';
import { isSlackInPlan } from '../slack/find-slack-destination.ts';
import { findSealedDestination } from '../slack/receiving-destinations.queries.ts';
import { openSlackUrl } from '../slack/slack-url.ts';
import { hasTracker } from '../trackers/trackers.queries.ts';

/** The part of a rule that decides where it sends. */
interface SendingRule {
  alertId: string;
  channel: AlertChannel;
  /** With open addresses; null when they cannot be read. */
  config: AlertConfig | null;
}

/** A stored rule with its addresses open. The id is a bare UUID. */
export function openedRule(
  { receiverAddresses }: Runtime['keys'],
  { alertId, channel, config }: { alertId: string; channel: AlertChannel; config: AlertConfig },
): SendingRule {
  return { alertId, channel, config: openConfig(receiverAddresses, config, alertId) };
}

/** Why a rule has no target. */
export type MissingTarget = 'plan' | 'disabled_target';

/**
 * Finds the target of each rule, by the id of the rule: rules with the same target get one message
 * (docs/contract/notifications.md 1.17). A rule whose connected destination is inactive or not in the current plan, or
 * whose tracker was deleted, has none. If an address cannot be read, the rule counts as a separate target.
 * @param missing takes the reasons of the rules that have none
 */
export async function findTargets(
  database: Queryable,
  { plans, keys }: Pick<Runtime, 'plans' | 'keys'>,
  organizationId: string,
  rules: Iterable<SendingRule>,
  missing = new Map<string, MissingTarget>(),
): Promise<Map<string, string>> {
  const targets = new Map<string, string>();
  const destinations = new Map<string, { address: string } | MissingTarget>();
  for (const { alertId, channel, config } of rules) {
    if (config?.tracker_id !== undefined && !(await hasTracker(database, config.tracker_id))) {
      missing.set(alertId, 'disabled_target');
      continue;
    }
    const id = config?.slack_destination_id;
    if (id !== undefined && !destinations.has(id)) {
      const found = await findSealedDestination(database, organizationId, id);
      if (found?.isActive !== true) destinations.set(id, 'disabled_target');
      else if (!isSlackInPlan(plans, found.plan)) destinations.set(id, 'plan');
      else
        destinations.set(id, { address: openSlackUrl(keys.slackUrls, found.sealedUrl, found.place) ?? id });
    }
    const destination =
      id === undefined ? { address: addressOf(channel, config) ?? alertId } : destinations.get(id);
    // Body and headers of a template can decide its readers, for example by a channel or a key that they name.
    if (typeof destination === 'object')
      targets.set(
        alertId,
        [channel, sameAddress(destination.address), config?.body, ...(config?.headers ?? [])].join(' '),
      );
    else if (destination !== undefined) missing.set(alertId, destination);
  }
  return targets;
}

function addressOf(channel: AlertChannel, config: AlertConfig | null): string | undefined {
  if (channel === 'pagerduty') return config?.token;
  if (config?.chat_id !== undefined) return [config.token, config.chat_id, config.thread_id].join(' ');
  return config?.to ?? config?.webhook_url ?? config?.target_url ?? config?.tracker_id;
}

/** Hosts of Discord that are the same, and versions of its API. */
const DISCORD = /^https:\/\/(?:(?:ptb|canary)\.)?discord(?:app)?\.com\/api(?:\/v\d{1,3})?\//;

/** Returns an address in the one form that all its spellings share. A text that is not a URL is returned unchanged. */
function sameAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return address;
  const host = url.host.replace(/\.(?=:|$)/, '');
  return `${url.protocol}//${host}${url.pathname}${url.search}`.replace(DISCORD, 'https://discord.com/api/');
}
