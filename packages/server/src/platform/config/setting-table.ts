import { availableParallelism } from 'node:os';
import { MAP_BYTES_MAX } from '@culprit/contract/releases/map-limits';
import { HTTP_LIMITS } from '../http/limits/http-limits.ts';
import {
  addressRange,
  byteSize,
  directory,
  httpAddress,
  httpOrigin,
  issuerAddress,
  listenAddress,
  listOf,
  mailAddresses,
  mailDomain,
  mailSender,
  mailServer,
  oneOf,
  onOrOff,
  outboundTarget,
  plainText,
  type SettingKind,
  s3Address,
  secretKey,
  secretText,
  secretUrl,
  webOrigin,
  wholeNumber,
} from './setting-kinds.ts';

/** One setting: its environment variable, what it may be, what it is when unset, and a sentence for operators. */
export interface Setting<Value, Default> {
  name: `CULPRIT_${string}`;
  kind: SettingKind<Value>;
  /** Null where nothing is set, or where the default depends on other settings. */
  default: Default;
  /** Words for a default that is computed; otherwise the documentation shows the default itself. */
  defaultWords?: string;
  doc: string;
}

function setting<Value>(entry: Setting<Value, null>): Setting<Value, null>;
function setting<Value>(entry: Setting<Value, NoInfer<Value>>): Setting<Value, Value>;
function setting<Value>(entry: Setting<Value, Value | null>): Setting<Value, Value | null> {
  return entry;
}

/**
 * Every setting there is (docs/contract/account.md 14, docs/contract/notifications.md 9), in the order of the
 * documentation.
 */
export const SETTING_GROUPS = {
  Server: {
    port: setting({
      name: 'CULPRIT_PORT',
      kind: wholeNumber(0, 65_535),
      default: 4800,
      doc: 'Port on which the API and the dashboard listen. 0 selects any free port.',
    }),
    host: setting({
      name: 'CULPRIT_HOST',
      kind: listenAddress(),
      default: '127.0.0.1',
      doc: 'Address to listen on. `0.0.0.0` or `::` accepts connections from other machines.',
    }),
    baseUrl: setting({
      name: 'CULPRIT_BASE_URL',
      kind: httpOrigin(),
      default: null,
      defaultWords: '`http://localhost:<port>`',
      doc: 'Address under which applications and browsers reach this server. It should be https unless it is a loopback address.',
    }),
    appUrl: setting({
      name: 'CULPRIT_APP_URL',
      kind: httpOrigin(),
      default: null,
      defaultWords: 'the base URL',
      doc: 'Address of the dashboard, used in links and redirects.',
    }),
    logLevel: setting({
      name: 'CULPRIT_LOG_LEVEL',
      kind: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
      default: 'info',
      doc: 'Lowest level of the log lines that are written.',
    }),
    logFormat: setting({
      name: 'CULPRIT_LOG_FORMAT',
      kind: oneOf('auto', 'pretty', 'json'),
      default: 'auto',
      doc: 'Format of log lines. `pretty` is for people: one line with time, level, message and the fields that matter. `json` is for programs and contains everything. `auto` is `pretty` on a terminal and `json` elsewhere.',
    }),
    metricsToken: setting({
      name: 'CULPRIT_METRICS_TOKEN',
      kind: secretText(),
      default: null,
      doc: 'Bearer token for `/metrics`. Without it, only this machine can read the metrics.',
    }),
    isCanaryOn: setting({
      name: 'CULPRIT_CANARY',
      kind: onOrOff(),
      default: true,
      doc: 'Whether an event of a hidden project is sent through the whole pipeline to a webhook every minute, so that metrics and log show when a part fails.',
    }),
    isDashboardOn: setting({
      name: 'CULPRIT_DASHBOARD',
      kind: onOrOff(),
      default: true,
      doc: 'Whether the API serves the dashboard. `npm start` builds it when it is missing or outdated.',
    }),
    arePackagesOn: setting({
      name: 'CULPRIT_PACKAGES',
      kind: onOrOff(),
      default: true,
      doc: 'Whether the API serves the client libraries, the command line and the script for pages, to every client that reaches it. `npm start` builds them when they are missing or outdated.',
    }),
    areMapsOn: setting({
      name: 'CULPRIT_SOURCE_MAPS',
      kind: onOrOff(),
      default: true,
      doc: 'Whether projects keep source maps, and stacks are mapped. `off`: the endpoints answer 404.',
    }),
    mapBudgetBytes: setting({
      name: 'CULPRIT_SOURCE_MAP_BYTES',
      kind: wholeNumber(1_048_576, 1_099_511_627_776),
      default: 2_147_483_648,
      doc: 'Maximum bytes of compressed source maps in a project. The least recently needed ones are removed to make room for new ones.',
    }),
    mapBytesMax: setting({
      name: 'CULPRIT_SOURCE_MAP_MAX_BYTES',
      kind: wholeNumber(1024, MAP_BYTES_MAX),
      default: MAP_BYTES_MAX,
      doc: 'Maximum bytes of one source map.',
    }),
    operators: setting<readonly string[]>({
      name: 'CULPRIT_OPERATORS',
      kind: mailAddresses(),
      default: null,
      defaultWords: 'the first owner of an organization with the embedded PostgreSQL, otherwise no account',
      doc: 'E-mail addresses of the accounts that can see the health of the installation in the dashboard.',
    }),
    mcp: setting({
      name: 'CULPRIT_MCP',
      kind: oneOf('off', 'read', 'write'),
      default: 'read',
      doc: 'What coding agents may do at `/mcp` with a member token. `read` lets them read incidents, `write` also lets those that request it (`/mcp?writes=on`) resolve incidents, create filters and enable probes. `off` answers 404.',
    }),
    metricsPort: setting({
      name: 'CULPRIT_METRICS_PORT',
      kind: wholeNumber(0, 65_535),
      default: null,
      doc: 'Port on which a process of `--roles worker` answers `/metrics`, at the address of `CULPRIT_HOST`. The API serves it on its own port, which on one machine includes the metrics of the worker. 0 selects any free port.',
    }),
  },
  'Storage and processes': {
    dataDir: setting({
      name: 'CULPRIT_DATA_DIR',
      kind: directory(),
      default: null,
      defaultWords: '`./data`',
      doc: 'Directory of the embedded database, stored events and generated keys. Only one Culprit at a time can use it.',
    }),
    databaseUrl: setting({
      name: 'CULPRIT_DATABASE_URL',
      kind: secretUrl('postgres://user:password@host:5432/culprit', 'postgres:', 'postgresql:'),
      default: null,
      defaultWords: 'the embedded PostgreSQL',
      doc: 'Address of a PostgreSQL 15 or newer to use instead of the embedded one.',
    }),
    isDatabaseDurabilityVouched: setting({
      name: 'CULPRIT_DATABASE_DURABILITY_VOUCHED',
      kind: onOrOff(),
      default: false,
      doc: 'The server refuses a database with `fsync`, `full_page_writes` or `synchronous_commit` off. `on` accepts such a database: you confirm that it is durable by other means. Each start logs this.',
    }),
    databasePoolApi: setting({
      name: 'CULPRIT_DATABASE_POOL_API',
      kind: wholeNumber(6, 200),
      default: 12,
      doc: 'Maximum number of database connections of an API process.',
    }),
    databasePoolWorker: setting({
      name: 'CULPRIT_DATABASE_POOL_WORKER',
      kind: wholeNumber(1, 200),
      default: 4,
      doc: 'Maximum number of database connections of a worker process, not counting the two of each of its threads.',
    }),
    objectStore: setting({
      name: 'CULPRIT_OBJECT_STORE',
      kind: s3Address(),
      default: null,
      defaultWords: 'files in the data directory',
      doc: 'Where raw events and bundles are stored: a bucket of an S3-compatible store, the same for all processes. Credentials are found as in every AWS program: in `AWS_*` variables, a profile, or the role of the machine.',
    }),
    roles: setting({
      name: 'CULPRIT_ROLES',
      kind: listOf(oneOf('api', 'worker')),
      default: null,
      defaultWords: '`api,worker`',
      doc: 'What this process does. Choosing roles needs `CULPRIT_DATABASE_URL`, because the embedded database belongs to one process.',
    }),
    drainMs: setting({
      name: 'CULPRIT_DRAIN_MS',
      kind: wholeNumber(0, 60_000),
      default: 0,
      doc: 'Milliseconds for which a stopping API process keeps serving while `/ready` answers 503. Behind a load balancer, this must be longer than the balancer takes to notice.',
    }),
    keepAliveMs: setting({
      name: 'CULPRIT_KEEP_ALIVE_MS',
      kind: wholeNumber(1000, 3_600_000),
      default: HTTP_LIMITS.keepAliveTimeoutMs,
      doc: 'Milliseconds for which an idle connection of a client stays open. Behind a load balancer, this must be longer than the balancer keeps idle connections.',
    }),
    workerThreads: setting({
      name: 'CULPRIT_WORKER_THREADS',
      kind: wholeNumber(1, 64),
      default: Math.min(8, Math.max(1, availableParallelism() - 1)),
      defaultWords: 'one less than the processor cores, 1 to 8',
      doc: 'Threads of a worker process that process batches of events.',
    }),
    workerGrowthMaxBytes: setting({
      name: 'CULPRIT_WORKER_GROWTH_MAX_BYTES',
      kind: byteSize(0, 1024 ** 5),
      default: 96 * 1024 ** 2,
      defaultWords: '`96MB`',
      doc: 'If one Culprit runs everything: a worker process that has grown by this much since its start is replaced after an idle minute. 0 never replaces it.',
    }),
    freeSpaceMinBytes: setting({
      name: 'CULPRIT_FREE_SPACE_MIN_BYTES',
      kind: byteSize(1024 ** 2, 1024 ** 5),
      default: null,
      defaultWords: '5 % of the volume, 512 MB to 4 GB',
      doc: 'When the volume of the data directory has less free space, events are answered 503 so that nothing accepted is lost.',
    }),
    upgradeCopyMaxBytes: setting({
      name: 'CULPRIT_UPGRADE_COPY_MAX_BYTES',
      kind: byteSize(0, 1024 ** 5),
      default: 10 * 1024 ** 3,
      defaultWords: '`10GB`',
      doc: 'An embedded database up to this size is copied to `before-upgrade` in the data directory before a new release changes it. 0 never copies.',
    }),
    dataKey: setting({
      name: 'CULPRIT_DATA_KEY',
      kind: secretKey(),
      default: null,
      defaultWords: 'generated at the first start and kept in the data directory',
      doc: 'Encrypts signing secrets and Slack addresses. Required with an external database, where all processes must share it. If it is lost, so are those secrets.',
    }),
  },
  'Retention and plans': {
    retentionRawDays: setting({
      name: 'CULPRIT_RETENTION_RAW_DAYS',
      kind: wholeNumber(1, 3_650),
      default: 30,
      doc: 'Retention of raw events in days while plan limits are off.',
    }),
    retentionIncidentDays: setting({
      name: 'CULPRIT_RETENTION_INCIDENT_DAYS',
      kind: wholeNumber(1, 3_650),
      default: 90,
      doc: 'Retention of incidents and bundles in days after their last event while plan limits are off.',
    }),
    planSource: setting({
      name: 'CULPRIT_PLAN_SOURCE',
      kind: oneOf('account', 'config'),
      default: 'config',
      doc: '`config`: every organization has the default plan. `account`: each organization has its own.',
    }),
    planDefault: setting({
      name: 'CULPRIT_PLAN_DEFAULT',
      kind: oneOf('free', 'solo', 'team'),
      default: 'team',
      doc: 'Plan of new organizations; with the plan source `config`, the plan of all organizations.',
    }),
    planLimits: setting({
      name: 'CULPRIT_PLAN_LIMITS',
      kind: oneOf('enforce', 'off'),
      default: 'off',
      doc: '`off`: every feature is available, and meters count but refuse nothing. `enforce`: allowances and rate limits of the plans apply.',
    }),
    ingestRateFreePerMin: setting({
      name: 'CULPRIT_INGEST_RATE_FREE_PER_MIN',
      kind: wholeNumber(1, 1_000_000_000),
      default: 60,
      doc: 'Requests, and events, that one project token of a Free organization may send in a minute while plan limits are enforced.',
    }),
    ingestRateSoloPerMin: setting({
      name: 'CULPRIT_INGEST_RATE_SOLO_PER_MIN',
      kind: wholeNumber(1, 1_000_000_000),
      default: 300,
      doc: 'The same limit for Solo.',
    }),
    ingestRateTeamPerMin: setting({
      name: 'CULPRIT_INGEST_RATE_TEAM_PER_MIN',
      kind: wholeNumber(1, 1_000_000_000),
      default: 1_000,
      doc: 'The same limit for Team.',
    }),
    billingProvider: setting({
      name: 'CULPRIT_BILLING_PROVIDER',
      kind: oneOf('none', 'stripe'),
      default: 'none',
      doc: 'Payment provider. `stripe` is not available yet.',
    }),
  },
  'Sign-in': {
    signup: setting({
      name: 'CULPRIT_SIGNUP',
      kind: oneOf('open', 'invited', 'closed'),
      default: null,
      defaultWords: '`open` on a loopback base URL, else `invited`',
      doc: 'Who may create an account: everyone, only people with an invite, or no one.',
    }),
    signupDomains: setting({
      name: 'CULPRIT_SIGNUP_DOMAINS',
      kind: listOf(mailDomain()),
      default: [],
      doc: 'Restricts sign-up to these e-mail domains.',
    }),
    termsUrl: setting({
      name: 'CULPRIT_TERMS_URL',
      kind: httpAddress(),
      default: null,
      doc: 'Address of the terms that people accept by signing in; shown where they sign in.',
    }),
    signinRatePerMin: setting({
      name: 'CULPRIT_SIGNIN_RATE_PER_MIN',
      kind: wholeNumber(1, 1_000_000),
      default: null,
      defaultWords: '10; 600 on a loopback base URL',
      doc: 'Number of sign-in requests that one client address may make in a minute.',
    }),
    cookieSecure: setting({
      name: 'CULPRIT_COOKIE_SECURE',
      kind: oneOf('auto', 'true', 'false'),
      default: 'auto',
      doc: 'Whether the session cookie is sent over https only. `auto` means that it is if the base URL is https.',
    }),
    hstsIncludesSubdomains: setting({
      name: 'CULPRIT_HSTS_SUBDOMAINS',
      kind: onOrOff(),
      default: false,
      doc: 'Whether `Strict-Transport-Security` includes all hosts below that of the base URL. Turn it on only when each of them is reached by https.',
    }),
    corsOrigins: setting({
      name: 'CULPRIT_CORS_ORIGINS',
      kind: listOf(webOrigin()),
      default: [],
      doc: 'Web origins, in addition to the app URL, that may use the API with cookies.',
    }),
    trustedProxies: setting({
      name: 'CULPRIT_TRUSTED_PROXIES',
      kind: listOf(addressRange()),
      default: [],
      doc: 'Reverse proxies whose `X-Forwarded-For` is trusted.',
    }),
    githubClientId: setting({
      name: 'CULPRIT_GITHUB_CLIENT_ID',
      kind: plainText('a text', 200),
      default: null,
      doc: 'GitHub application for sign-in, together with its secret. Its callback address is `<base URL>/v1/auth/github/callback`; command-line clients need its device flow to be enabled.',
    }),
    githubClientSecret: setting({
      name: 'CULPRIT_GITHUB_CLIENT_SECRET',
      kind: secretText(),
      default: null,
      doc: 'Secret of the GitHub application.',
    }),
    isGithubExchangeOn: setting({
      name: 'CULPRIT_GITHUB_EXCHANGE',
      kind: onOrOff(),
      default: true,
      doc: 'Whether a GitHub token can be exchanged for a member token.',
    }),
    githubExchangeClients: setting({
      name: 'CULPRIT_GITHUB_EXCHANGE_CLIENTS',
      kind: listOf(plainText('a client id', 200)),
      default: [],
      doc: 'Additional GitHub applications whose tokens are accepted in the exchange.',
    }),
    githubUrl: setting({
      name: 'CULPRIT_GITHUB_URL',
      kind: httpAddress(),
      default: 'https://github.com',
      doc: 'Address of GitHub, or of a GitHub Enterprise server.',
    }),
    githubApiUrl: setting({
      name: 'CULPRIT_GITHUB_API_URL',
      kind: httpAddress(),
      default: 'https://api.github.com',
      doc: 'Address of its API.',
    }),
    signinWays: setting({
      name: 'CULPRIT_SIGNIN_WAYS',
      kind: listOf(oneOf('email', 'github', 'oidc')),
      default: null,
      defaultWords: 'all that are configured',
      doc: 'Which ways to sign in are offered. Operators can always use a mailed code, so that a provider that is down or misconfigured does not lock operators out.',
    }),
    oidcIssuer: setting({
      name: 'CULPRIT_OIDC_ISSUER',
      kind: issuerAddress(),
      default: null,
      doc: 'OpenID Connect provider for sign-in, exactly as its `issuer` in `/.well-known/openid-configuration`; a slash at the end can be left out. Its redirect address is `<base URL>/v1/auth/oidc/callback`. See [single sign-on](single-sign-on.md).',
    }),
    oidcClientId: setting({
      name: 'CULPRIT_OIDC_CLIENT_ID',
      kind: plainText('a text', 200),
      default: null,
      doc: 'Client of Culprit at the provider.',
    }),
    oidcClientSecret: setting({
      name: 'CULPRIT_OIDC_CLIENT_SECRET',
      kind: secretText(),
      default: null,
      defaultWords: 'unset: a public client, with PKCE alone',
      doc: 'Secret of the client.',
    }),
    oidcName: setting({
      name: 'CULPRIT_OIDC_NAME',
      kind: plainText('a text', 40),
      default: null,
      defaultWords: 'the host of the issuer',
      doc: 'Name of the provider on the button of the sign-in page.',
    }),
    oidcScopes: setting({
      name: 'CULPRIT_OIDC_SCOPES',
      kind: plainText('a text', 200),
      default: 'openid email profile',
      doc: 'Requested scopes, separated by spaces. `openid` is always included.',
    }),
    oidcGroupsClaim: setting({
      name: 'CULPRIT_OIDC_GROUPS_CLAIM',
      kind: plainText('a text', 100),
      default: 'groups',
      doc: 'Claim with the names of the groups of a person.',
    }),
    oidcAllowedGroups: setting({
      name: 'CULPRIT_OIDC_ALLOWED_GROUPS',
      kind: listOf(plainText('a text', 200)),
      default: [],
      doc: 'Only people in one of these groups may sign in with the provider. Empty: everyone at the provider.',
    }),
    isOidcEmailTrusted: setting({
      name: 'CULPRIT_OIDC_TRUST_EMAIL',
      kind: onOrOff(),
      default: false,
      doc: 'Whether an address counts as verified when the provider does not say `email_verified`. Turn it on only if people cannot choose their address at the provider.',
    }),
    oidcSessionHours: setting({
      name: 'CULPRIT_OIDC_SESSION_HOURS',
      kind: wholeNumber(1, 168),
      default: 12,
      doc: 'Number of hours after which a session that began at the provider ends.',
    }),
    oidcTokenDays: setting({
      name: 'CULPRIT_OIDC_TOKEN_DAYS',
      kind: wholeNumber(0, 365),
      default: 30,
      doc: 'Member tokens of a person stop working after this number of days without a sign-in at the provider, and work again after the next one. 0 turns this off.',
    }),
    isOidcSignupOn: setting({
      name: 'CULPRIT_OIDC_SIGNUP',
      kind: onOrOff(),
      default: true,
      doc: 'Whether a first sign-in with the provider creates an account, regardless of `CULPRIT_SIGNUP`. `CULPRIT_SIGNUP_DOMAINS` always applies.',
    }),
  },
  'Mail, Slack and outgoing requests': {
    emailTransport: setting({
      name: 'CULPRIT_EMAIL_TRANSPORT',
      kind: oneOf('smtp', 'console', 'file', 'off'),
      default: null,
      defaultWords: '`smtp` with `CULPRIT_SMTP_URL`; else `console` on a loopback base URL, otherwise `off`',
      doc: 'How mail is sent: through a mail server, printed to the terminal, as files, or not at all.',
    }),
    smtpUrl: setting({
      name: 'CULPRIT_SMTP_URL',
      kind: mailServer(),
      default: null,
      doc: 'Mail server. `smtps:` is encrypted from the start. `smtp:` is encrypted if the server offers STARTTLS, and must be if a password is sent to another machine; `?starttls=` overrides this. Culprit greets it with the host of the base URL if that is a full name, else with the domain of the sender; `?name=` overrides this.',
    }),
    emailFrom: setting({
      name: 'CULPRIT_EMAIL_FROM',
      kind: mailSender(),
      default: null,
      defaultWords: '`culprit@<host of the base URL>`',
      doc: 'Sender of all mail.',
    }),
    emailDir: setting({
      name: 'CULPRIT_EMAIL_DIR',
      kind: directory(),
      default: null,
      defaultWords: '`mail` in the data directory',
      doc: 'Where the `file` transport writes one JSON file per message.',
    }),
    slackClientId: setting({
      name: 'CULPRIT_SLACK_CLIENT_ID',
      kind: plainText('a text', 200),
      default: null,
      doc: 'Slack application for connected destinations, together with its secret.',
    }),
    slackClientSecret: setting({
      name: 'CULPRIT_SLACK_CLIENT_SECRET',
      kind: secretText(),
      default: null,
      doc: 'Secret of the Slack application.',
    }),
    slackUrl: setting({
      name: 'CULPRIT_SLACK_URL',
      kind: httpAddress(),
      default: 'https://slack.com',
      doc: 'Base address of Slack, or of a server with the same API.',
    }),
    webhookDisableAfterMs: setting({
      name: 'CULPRIT_WEBHOOK_DISABLE_AFTER_MS',
      kind: wholeNumber(0, 31_536_000_000),
      default: 86_400_000,
      doc: 'A webhook is disabled after 50 failed attempts in a row over at least this many milliseconds.',
    }),
    deliveryScheduleMs: setting({
      name: 'CULPRIT_DELIVERY_SCHEDULE_MS',
      kind: listOf(wholeNumber(0, 86_400_000)),
      default: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000],
      doc: 'The nine delays between delivery attempts, in milliseconds. This is meant for tests and refused when `NODE_ENV` is `production`.',
    }),
    outboundAllowlist: setting({
      name: 'CULPRIT_OUTBOUND_ALLOWLIST',
      kind: listOf(outboundTarget()),
      default: [],
      doc: 'Internal targets that webhooks, alerts and availability checks may call. Metadata services remain blocked.',
    }),
    outboundProxy: setting({
      name: 'CULPRIT_OUTBOUND_PROXY',
      kind: secretUrl('http://proxy.example.com:3128', 'http:', 'https:'),
      default: null,
      doc: 'Proxy for calls to addresses that users give. It must enforce the outbound policy itself.',
    }),
  },
};

type SettingTable = UnionToIntersection<(typeof SETTING_GROUPS)[keyof typeof SETTING_GROUPS]>;
type UnionToIntersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  member: infer Intersection,
) => void
  ? Intersection
  : never;

/** The settings as given: computed defaults are still null. */
export type GivenSettings = {
  [Field in keyof SettingTable]: SettingTable[Field] extends Setting<infer Value, infer Default>
    ? Value | Default
    : never;
};
