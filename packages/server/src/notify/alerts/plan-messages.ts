import { newUuid } from '../../platform/ids.ts';
import type { Match } from './match-rules.ts';

/** What is known of the past when matches are turned into messages. */
export interface Past {
  /** `onceKey` of deliveries that exist. */
  made: ReadonlySet<string>;
  /** `coolingKey` of rules whose cooldown runs. */
  cooling: ReadonlySet<string>;
  /** Message of the open digest, by lower-case address. */
  openDigests: ReadonlyMap<string, string>;
}

/** A message to be made. Ids are bare UUIDs. */
export interface NewMessage {
  messageId: string;
  match: Match;
  /** Mail that cannot be sent on this deployment: it has failed already, for nothing. */
  isUnsendable: boolean;
}

/** A delivery to be made, in a new message or an open digest. */
export interface NewDelivery {
  alertDeliveryId: string;
  messageId: string;
  match: Match;
}

export interface MessagePlan {
  messages: NewMessage[];
  deliveries: NewDelivery[];
  /** Units of the allowance that it takes, or would take if there were enough. */
  units: number;
}

/**
 * Turns matches, in order, into deliveries and messages: steps 6 to 9 of docs/contract/notifications.md 1.7. Matches
 * beyond the units are left out, but for mail that joins an open digest, which is charged already (1.12).
 * @param unitsMax what of the allowance may be taken
 */
export function planMessages(
  matches: readonly Match[],
  past: Past,
  options: { unitsMax: number; isMailConfigured: boolean },
): MessagePlan {
  const plan: MessagePlan = { messages: [], deliveries: [], units: 0 };
  const made = new Set(past.made);
  const cooling = new Set(past.cooling);
  const digests = new Map(past.openDigests);
  for (const match of matches) {
    const { rule } = match;
    if (made.has(onceKey(match))) continue;
    if (rule.cooldownSeconds > 0 && cooling.has(coolingKey(match))) continue;
    const isUnsendable = rule.channel === 'email' && !options.isMailConfigured;
    const recipient = isUnsendable ? undefined : rule.config.to;
    let messageId = recipient === undefined ? undefined : digests.get(recipient);
    if (messageId === undefined) {
      if (!isUnsendable) {
        if (plan.units >= options.unitsMax) continue;
        plan.units += 1;
      }
      messageId = newUuid();
      if (recipient !== undefined) digests.set(recipient, messageId);
      plan.messages.push({ messageId, match, isUnsendable });
    }
    plan.deliveries.push({ alertDeliveryId: newUuid(), messageId, match });
    made.add(onceKey(match));
    // What has failed already holds nothing up.
    if (!isUnsendable) cooling.add(coolingKey(match));
  }
  return plan;
}

/** What is delivered once (docs/contract/notifications.md 1.10). */
export function onceKey({ rule, transition, dedupeKey }: Match): string {
  return `${rule.alertId} ${transition.incidentId} ${dedupeKey}`;
}

/** What a cooldown holds back (docs/contract/notifications.md 1.9). */
export function coolingKey({ rule, notificationKey }: Pick<Match, 'rule' | 'notificationKey'>): string {
  return `${rule.alertId} ${notificationKey}`;
}
