import { isLoopbackHost } from '../loopback-url.ts';
import { splitPort } from './setting-kinds.ts';
import type { GivenSettings } from './setting-table.ts';

interface Contradiction {
  /** Judged only when each of them could be read. */
  fields: readonly (keyof GivenSettings)[];
  problem(given: GivenSettings, env: Record<string, string | undefined>): string | null;
}

const DELIVERY_WAITS = 9;
/** Providers at which everyone can have an account. */
const OPEN_TO_THE_WORLD: ReadonlySet<string> = new Set([
  'accounts.google.com',
  'gitlab.com',
  'appleid.apple.com',
]);

const CONTRADICTIONS: readonly Contradiction[] = [
  {
    fields: ['roles', 'databaseUrl'],
    problem: ({ roles, databaseUrl }) =>
      roles !== null && databaseUrl === null
        ? 'CULPRIT_ROLES cannot be set with the embedded database, which belongs to one process; set CULPRIT_DATABASE_URL too, or leave the roles out'
        : null,
  },
  {
    fields: ['roles'],
    problem: ({ roles }) =>
      roles !== null && roles.length === 0 ? 'CULPRIT_ROLES has no role; leave it out to run all' : null,
  },
  {
    fields: ['dataKey', 'databaseUrl'],
    problem: ({ dataKey, databaseUrl }) =>
      databaseUrl !== null && dataKey === null
        ? 'CULPRIT_DATA_KEY is required with CULPRIT_DATABASE_URL, because several processes must share it; create one with `openssl rand -base64 32`'
        : null,
  },
  {
    fields: ['billingProvider'],
    problem: ({ billingProvider }) =>
      billingProvider === 'stripe'
        ? 'CULPRIT_BILLING_PROVIDER: `stripe` is not available in this release yet; leave it out'
        : null,
  },
  {
    fields: ['emailTransport', 'smtpUrl'],
    problem: ({ emailTransport, smtpUrl }) => {
      if (emailTransport === 'smtp' && smtpUrl === null) {
        return 'CULPRIT_EMAIL_TRANSPORT is `smtp`, but CULPRIT_SMTP_URL is not set';
      }
      return smtpUrl !== null && emailTransport !== null && emailTransport !== 'smtp'
        ? `CULPRIT_SMTP_URL is set, but CULPRIT_EMAIL_TRANSPORT is \`${emailTransport}\`; leave one of them out`
        : null;
    },
  },
  {
    fields: ['emailTransport', 'emailDir'],
    problem: ({ emailTransport, emailDir }) =>
      emailDir !== null && emailTransport !== 'file'
        ? 'CULPRIT_EMAIL_DIR is set, but only the `file` transport writes there; set CULPRIT_EMAIL_TRANSPORT to `file` or leave the directory out'
        : null,
  },
  {
    fields: ['githubClientId', 'githubClientSecret'],
    problem: (given) =>
      bothOrNeither(
        ['CULPRIT_GITHUB_CLIENT_ID', given.githubClientId],
        ['CULPRIT_GITHUB_CLIENT_SECRET', given.githubClientSecret],
      ),
  },
  {
    fields: ['slackClientId', 'slackClientSecret'],
    problem: (given) =>
      bothOrNeither(
        ['CULPRIT_SLACK_CLIENT_ID', given.slackClientId],
        ['CULPRIT_SLACK_CLIENT_SECRET', given.slackClientSecret],
      ),
  },
  {
    fields: ['githubExchangeClients', 'isGithubExchangeOn'],
    problem: ({ githubExchangeClients, isGithubExchangeOn }) =>
      githubExchangeClients.length > 0 && !isGithubExchangeOn
        ? 'CULPRIT_GITHUB_EXCHANGE_CLIENTS is set, but CULPRIT_GITHUB_EXCHANGE is `off`'
        : null,
  },
  {
    fields: ['oidcIssuer', 'oidcClientId'],
    problem: (given) =>
      bothOrNeither(
        ['CULPRIT_OIDC_ISSUER', given.oidcIssuer],
        ['CULPRIT_OIDC_CLIENT_ID', given.oidcClientId],
      ),
  },
  {
    fields: ['oidcIssuer', 'outboundAllowlist'],
    problem: ({ oidcIssuer, outboundAllowlist }) =>
      oidcIssuer === null || mayBeHttp(oidcIssuer, outboundAllowlist)
        ? null
        : 'CULPRIT_OIDC_ISSUER must be https, unless it is on this machine or CULPRIT_OUTBOUND_ALLOWLIST has its host',
  },
  {
    fields: ['oidcIssuer', 'isOidcSignupOn', 'oidcAllowedGroups', 'signupDomains'],
    problem: ({ oidcIssuer, isOidcSignupOn, oidcAllowedGroups, signupDomains }) =>
      oidcIssuer !== null &&
      OPEN_TO_THE_WORLD.has(new URL(oidcIssuer).host) &&
      isOidcSignupOn &&
      oidcAllowedGroups.length === 0 &&
      signupDomains.length === 0
        ? `CULPRIT_OIDC_ISSUER (${new URL(oidcIssuer).host}) accepts everyone, so anyone could create an account; set CULPRIT_SIGNUP_DOMAINS, or CULPRIT_OIDC_SIGNUP to \`off\``
        : null,
  },
  {
    fields: ['signinWays', 'oidcIssuer', 'githubClientId'],
    problem: ({ signinWays, oidcIssuer, githubClientId }) => {
      if (signinWays === null) return null;
      if (signinWays.length === 0) {
        return 'CULPRIT_SIGNIN_WAYS has no way to sign in; leave it out to offer all that are configured';
      }
      if (signinWays.includes('oidc') && oidcIssuer === null) {
        return 'CULPRIT_SIGNIN_WAYS has `oidc`, but CULPRIT_OIDC_ISSUER is not set';
      }
      return signinWays.includes('github') && githubClientId === null
        ? 'CULPRIT_SIGNIN_WAYS has `github`, but CULPRIT_GITHUB_CLIENT_ID is not set'
        : null;
    },
  },
  {
    fields: ['signup', 'signupDomains', 'oidcIssuer'],
    problem: ({ signup, signupDomains, oidcIssuer }) =>
      signup === 'closed' && signupDomains.length > 0 && oidcIssuer === null
        ? 'CULPRIT_SIGNUP_DOMAINS is set, but CULPRIT_SIGNUP is `closed`'
        : null,
  },
  {
    fields: ['cookieSecure', 'baseUrl'],
    problem: ({ cookieSecure, baseUrl }) =>
      cookieSecure === 'true' && baseUrl?.startsWith('http:') && !isLoopbackHost(new URL(baseUrl).hostname)
        ? 'CULPRIT_COOKIE_SECURE is `true`, but the base URL is http: browsers would drop the session cookie'
        : null,
  },
  {
    fields: ['hstsIncludesSubdomains', 'baseUrl'],
    problem: ({ hstsIncludesSubdomains, baseUrl }) =>
      hstsIncludesSubdomains && !baseUrl?.startsWith('https:')
        ? 'CULPRIT_HSTS_SUBDOMAINS is `on`, but the base URL is not https, so no such header is sent'
        : null,
  },
  {
    fields: ['retentionRawDays', 'retentionIncidentDays'],
    problem: ({ retentionRawDays, retentionIncidentDays }) =>
      retentionRawDays > retentionIncidentDays
        ? `CULPRIT_RETENTION_RAW_DAYS (${retentionRawDays}) must not be longer than CULPRIT_RETENTION_INCIDENT_DAYS (${retentionIncidentDays}): events are deleted with their incident`
        : null,
  },
  {
    fields: ['deliveryScheduleMs'],
    problem: ({ deliveryScheduleMs }, env) => {
      if (deliveryScheduleMs.length !== DELIVERY_WAITS) {
        return `CULPRIT_DELIVERY_SCHEDULE_MS must list ${DELIVERY_WAITS} waits, not ${deliveryScheduleMs.length}`;
      }
      return env.NODE_ENV === 'production' && env.CULPRIT_DELIVERY_SCHEDULE_MS
        ? 'CULPRIT_DELIVERY_SCHEDULE_MS is for tests and refused while NODE_ENV is `production`'
        : null;
    },
  },
];

/** The sentences about settings that contradict each other; fields whose text was refused are not judged again. */
export function configContradictions(
  given: Partial<GivenSettings>,
  env: Record<string, string | undefined>,
): string[] {
  const problems: string[] = [];
  for (const { fields, problem } of CONTRADICTIONS) {
    if (fields.every((field) => given[field] !== undefined)) {
      // Only the listed fields are read, and they are there.
      const sentence = problem(given as GivenSettings, env);
      if (sentence !== null) {
        problems.push(sentence);
      }
    }
  }
  return problems;
}

interface JudgedSettings
  extends Pick<
    GivenSettings,
    'host' | 'planLimits' | 'isDatabaseDurabilityVouched' | 'githubClientId' | 'oidcIssuer'
  > {
  baseUrl: string;
  isBaseUrlLoopback: boolean;
  signup: string;
  emailTransport: string;
}

/** Returns warnings about settings that are allowed but probably unintended; they are logged at each start. */
export function configWarnings(config: JudgedSettings, env: Record<string, string | undefined>): string[] {
  const warnings: string[] = [];
  if (config.baseUrl.startsWith('http:') && !config.isBaseUrlLoopback) {
    warnings.push(
      `CULPRIT_BASE_URL (${config.baseUrl}) is not https: tokens, cookies and events are sent unencrypted.`,
    );
  }
  if (config.isBaseUrlLoopback && !isLoopbackHost(config.host)) {
    warnings.push(
      `CULPRIT_HOST (${config.host}) accepts other machines while the base URL is loopback: sign-up is ${config.signup} and loopback receivers are allowed. Set CULPRIT_BASE_URL to the address others use.`,
    );
  }
  if (
    config.planLimits === 'enforce' &&
    (env.CULPRIT_RETENTION_RAW_DAYS || env.CULPRIT_RETENTION_INCIDENT_DAYS)
  ) {
    warnings.push(
      'CULPRIT_RETENTION_* has no effect while CULPRIT_PLAN_LIMITS is `enforce`: the plans decide.',
    );
  }
  if (config.isDatabaseDurabilityVouched) {
    warnings.push(
      'CULPRIT_DATABASE_DURABILITY_VOUCHED is on: the durability settings of the database are not checked.',
    );
  }
  if (config.emailTransport === 'off' && config.githubClientId === null && config.oidcIssuer === null) {
    warnings.push(
      'No account can sign in: mail is off, and neither a GitHub application nor an OpenID Connect provider is set. Set CULPRIT_SMTP_URL, or use tokens from `npm run admin`.',
    );
  }
  return warnings;
}

/** Returns true if an issuer uses https, is on this machine, or is on the operator's allow-list. */
function mayBeHttp(issuer: string, allowlist: readonly string[]): boolean {
  const { protocol, hostname } = new URL(issuer);
  return (
    protocol === 'https:' ||
    isLoopbackHost(hostname) ||
    allowlist.some((entry) => splitPort(entry.toLowerCase()).target === hostname)
  );
}

function bothOrNeither(first: [string, unknown], second: [string, unknown]): string | null {
  if ((first[1] === null) === (second[1] === null)) {
    return null;
  }
  const [present, missing] = first[1] === null ? [second[0], first[0]] : [first[0], second[0]];
  return `${present} is set without ${missing}; set both or neither`;
}
