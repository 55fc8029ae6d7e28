import type { MapSettings } from '../maps/map-settings.ts';
import { SLACK_REQUEST_TIMEOUT_MS, type SlackApp } from '../notify/slack/slack-settings.ts';
import type { Config } from '../platform/config/config.ts';
import type { MailSettings } from '../platform/mail/mail-transport.ts';
import {
  GITHUB_REQUEST_TIMEOUT_MS,
  type GithubSettings,
} from '../workspace/accounts/github/github-settings.ts';
import { OIDC_REQUEST_TIMEOUT_MS, type OidcSettings } from '../workspace/accounts/oidc/oidc-settings.ts';
import type { OperatorSettings } from '../workspace/accounts/operators.ts';
import type { SignInSettings } from '../workspace/accounts/sign-in-settings.ts';
import type { PlanSettings } from '../workspace/billing/plan.ts';

/** The settings that features take from those of the program, each in the feature's own words. */

/** Returns the settings of plans. */
export function planSettings(config: Config): PlanSettings {
  return {
    source: config.planSource,
    defaultPlan: config.planDefault,
    isEnforced: config.planLimits === 'enforce',
    ingestionRatePerMinute: {
      free: config.ingestRateFreePerMin,
      solo: config.ingestRateSoloPerMin,
      team: config.ingestRateTeamPerMin,
    },
    retention: { rawDays: config.retentionRawDays, incidentDays: config.retentionIncidentDays },
  };
}

/** Returns the settings of sign-in. */
export function signInSettings(config: Config): SignInSettings {
  return {
    signup: config.signup,
    signupDomains: config.signupDomains,
    requestsPerMinute: config.signinRatePerMin,
    isCookieSecure: config.isCookieSecure,
    mailTransport: config.emailTransport,
    codesFor: isWayOn(config, 'email') ? 'everyone' : 'operators',
    termsUrl: config.termsUrl,
    host: new URL(config.baseUrl).host,
  };
}

/** Returns the settings that decide which users are operators. */
export function operatorSettings(config: Config): OperatorSettings {
  return {
    emails: config.operators ?? [],
    isFirstOwner: config.operators === null && config.databaseUrl === null,
  };
}

/** The GitHub application; null when there is none, and so no sign-in with GitHub. */
export function githubSettings(config: Config): GithubSettings | null {
  const { githubClientId: clientId, githubClientSecret: clientSecret } = config;
  if (clientId === null || clientSecret === null || !isWayOn(config, 'github')) return null;
  return {
    clientId,
    clientSecret,
    url: config.githubUrl,
    apiUrl: config.githubApiUrl,
    isExchangeOn: config.isGithubExchangeOn,
    exchangeClients: config.githubExchangeClients,
    requestTimeoutMs: GITHUB_REQUEST_TIMEOUT_MS,
  };
}

/** The OpenID Connect provider; null when there is none, or it is not among the ways to sign in. */
export function oidcSettings(config: Config): OidcSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config;
  if (issuer === null || clientId === null || !isWayOn(config, 'oidc')) return null;
  return {
    issuer,
    clientId,
    clientSecret: config.oidcClientSecret,
    name: config.oidcName ?? new URL(issuer).host,
    scopes: config.oidcScopes,
    groupsClaim: config.oidcGroupsClaim,
    allowedGroups: config.oidcAllowedGroups,
    isEmailTrusted: config.isOidcEmailTrusted,
    sessionSeconds: config.oidcSessionHours * 3600,
    tokenStaleness:
      config.oidcTokenDays === 0 ? null : { issuer, afterSeconds: config.oidcTokenDays * 86_400 },
    isSignupOn: config.isOidcSignupOn,
    requestTimeoutMs: OIDC_REQUEST_TIMEOUT_MS,
  };
}

/** Returns true if a way to sign in is offered; all are unless the operator chose some. */
function isWayOn({ signinWays }: Config, way: 'email' | 'github' | 'oidc'): boolean {
  return signinWays === null || signinWays.includes(way);
}

/** The Slack application; null when there is none, and so nothing to connect. */
export function slackSettings(config: Config): SlackApp | null {
  const { slackClientId: clientId, slackClientSecret: clientSecret } = config;
  if (clientId === null || clientSecret === null) return null;
  return { clientId, clientSecret, url: config.slackUrl, requestTimeoutMs: SLACK_REQUEST_TIMEOUT_MS };
}

/** Returns the settings of outgoing mail. */
export function mailSettings(config: Config): MailSettings {
  return {
    transport: config.emailTransport,
    smtpUrl: config.smtpUrl,
    from: config.emailFrom,
    directory: config.emailDir,
  };
}

/** The settings of retried deliveries (docs/contract/notifications.md 3.11). */
export interface DeliverySettings {
  /** Waits after the failed attempts, in milliseconds. */
  scheduleMs: readonly number[];
  /** Least span of failed attempts in a row after which a webhook is disabled. */
  disableAfterMs: number;
}

/** The same from the settings. */
export function deliverySettings(config: Config): DeliverySettings {
  return { scheduleMs: config.deliveryScheduleMs, disableAfterMs: config.webhookDisableAfterMs };
}

/** Returns the settings of stored source maps. */
export function mapSettings({ areMapsOn, mapBudgetBytes, mapBytesMax }: Config): MapSettings {
  return { isOn: areMapsOn, budgetBytes: mapBudgetBytes, mapBytesMax };
}
