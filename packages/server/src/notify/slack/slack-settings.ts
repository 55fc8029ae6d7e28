import type { Secret } from '../../platform/secrets/secret.ts';

/** The Slack application of this installation (docs/contract/notifications.md 9). */
export interface SlackApp {
  clientId: string;
  clientSecret: Secret;
  /** Slack, or a server that speaks like it; without a final slash. */
  url: string;
  /** For one request to Slack, its body included. */
  requestTimeoutMs: number;
}

/** Still ends before the 30 s a request of ours may take. */
export const SLACK_REQUEST_TIMEOUT_MS = 10_000;
