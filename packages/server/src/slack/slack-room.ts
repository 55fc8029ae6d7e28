import type { PlanSettings } from '../billing/plan.ts';
import { deriveKey } from '../platform/data-key.ts';
import type { Database } from '../platform/db/database.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import { Secret } from '../platform/secret.ts';
import type { SlackApp } from './slack-settings.ts';
import { deriveSlackUrlKey } from './slack-url.ts';

/** What the operations over Slack destinations work with. */
export interface SlackRoom {
  database: Database;
  plans: PlanSettings;
  /** Null: none is configured, and nothing can be connected. */
  slackApp: SlackApp | null;
  outbound: OutboundPolicy;
  /** Signs the states of connections under way. */
  stateKey: Secret<Buffer>;
  /** From `deriveSlackUrlKey`. */
  slackUrlKey: Secret<Buffer>;
  /** Seals queued mail. */
  mailKey: Buffer;
  /** Where Slack sends browsers back to. */
  callbackUrl: string;
  appUrl: string;
  /** Cookies travel over https only. */
  isCookieSecure: boolean;
}

/** Opens the room of this installation. */
export function openSlackRoom(
  room: Pick<SlackRoom, 'database' | 'plans' | 'slackApp' | 'outbound' | 'appUrl' | 'isCookieSecure'>,
  { dataKey, baseUrl }: { dataKey: Secret<Buffer>; baseUrl: string },
): SlackRoom {
  return {
    ...room,
    stateKey: new Secret(deriveKey(dataKey, 'slack-states')),
    slackUrlKey: deriveSlackUrlKey(dataKey),
    mailKey: deriveKey(dataKey, 'queued-mail'),
    callbackUrl: `${baseUrl}/v1/slack/app/callback`,
  };
}
