import type { Config } from '../platform/config.ts';
import { SLACK_REQUEST_TIMEOUT_MS, type SlackApp } from '../slack/slack-settings.ts';

/** The Slack application from the settings; null when there is none, and so nothing to connect. */
export function slackSettings(config: Config): SlackApp | null {
  const { slackClientId: clientId, slackClientSecret: clientSecret } = config;
  if (clientId === null || clientSecret === null) return null;
  return { clientId, clientSecret, url: config.slackUrl, requestTimeoutMs: SLACK_REQUEST_TIMEOUT_MS };
}
