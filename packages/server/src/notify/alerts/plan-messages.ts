import { newUuid } from '../../platform/ids.ts';
import type { Match } from './match-rules.ts';

/** The earlier deliveries, cooldowns and digests when matches are turned into messages. */
export interface Past {
  /** `onceKey` of deliveries that exist. */
  made: ReadonlySet<string>;
  /** `coolingKey` of rules whose cooldown runs. */
  cooling: ReadonlySet<string>;
  /** Message of the open digest, by lower-case address. */
  openDigests: ReadonlyMap<string, string>;
}

/** The facts by which matches are judged. */
interface Circumstances extends Past {
  /** The target of each rule (`findTargets`). */
  targets: ReadonlyMap<string, string>;
}

/** A message to be made. Ids are bare UUIDs. */
interface NewMessage {
  messageId: string;
  match: Match;
  /** Mail of a test that cannot be sent on this deployment: it has failed already, for nothing. */
  isUnsendable: boolean;
}

/** A delivery to be made, in a new message or one that is there. */
interface NewDelivery {
  alertDeliveryId: string;
  messageId: string;
  match: Match;
}

export interface MessagePlan {
  messages: NewMessage[];
  deliveries: NewDelivery[];
  /** Matches beyond the allowance. */
  refused: Match[];
  /** Units of the allowance that it takes, or would take if there were enough. */
  units: number;
}

/**
 * Turns matches, in order, into deliveries and messages: steps 6 to 9 of docs/contract/notifications.md 1.7. Matches
 * beyond the units are left out, but for those that join a message, which is charged already: mail an open digest
 * (1.12), everything else the message of the same transition to the same target (1.17).
 * @param unitsMax what of the allowance may be taken
 */
export function planMessages(matches: readonly Match[], past: Circumstances, unitsMax: number): MessagePlan {
  const plan: MessagePlan = { messages: [], deliveries: [], refused: [], units: 0 };
  const made = new Set(past.made);
  const cooling = new Set(past.cooling);
  const digests = new Map(past.openDigests);
  const ofTransition = new Map<Match['transition'], Map<string, string>>();
  for (const match of matches) {
    const { rule, transition } = match;
    if (made.has(onceKey(match))) continue;
    if (rule.cooldownSeconds > 0 && cooling.has(coolingKey(match))) continue;
    const joinable = rule.config.to === undefined ? entryOf(ofTransition, transition) : digests;
    const target = rule.config.to ?? past.targets.get(rule.alertId) ?? rule.alertId;
    let messageId = joinable.get(target);
    if (messageId === undefined) {
      if (plan.units >= unitsMax) {
        plan.refused.push(match);
        continue;
      }
      plan.units += 1;
      messageId = newUuid();
      joinable.set(target, messageId);
      plan.messages.push({ messageId, match, isUnsendable: false });
    }
    plan.deliveries.push({ alertDeliveryId: newUuid(), messageId, match });
    made.add(onceKey(match));
    cooling.add(coolingKey(match));
  }
  return plan;
}

function entryOf<Key>(maps: Map<Key, Map<string, string>>, key: Key): Map<string, string> {
  const map = maps.get(key) ?? new Map<string, string>();
  maps.set(key, map);
  return map;
}

/** Returns the key of a delivery that is made once (docs/contract/notifications.md 1.10). */
export function onceKey({ rule, transition, dedupeKey }: Match): string {
  return `${rule.alertId} ${transition.incidentId} ${dedupeKey}`;
}

/** Returns the key of a cooldown (docs/contract/notifications.md 1.9). */
export function coolingKey({ rule, notificationKey }: Pick<Match, 'rule' | 'notificationKey'>): string {
  return `${rule.alertId} ${notificationKey}`;
}
