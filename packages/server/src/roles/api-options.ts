import type { Logger } from 'pino';
import type { InstallationSettings } from '../installation/findings/inspect-installation.ts';
import type { MapSettings } from '../maps/map-settings.ts';
import type { SlackApp } from '../notify/slack/slack-settings.ts';
import type { StreamTimes } from '../pipeline/ledger/stream-changes.ts';
import type { Migration } from '../platform/db/migrate.ts';
import type { HttpLimits } from '../platform/http/limits/http-limits.ts';
import type { ObjectStoreLocation } from '../platform/objects/open-object-store.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import type { Secret } from '../platform/secrets/secret.ts';
import type { Runtime } from '../runtime.ts';
import type { GithubSettings } from '../workspace/accounts/github/github-settings.ts';
import type { OidcSettings } from '../workspace/accounts/oidc/oidc-settings.ts';
import type { OperatorSettings } from '../workspace/accounts/operators.ts';
import type { SignInSettings } from '../workspace/accounts/sign-in-settings.ts';
import type { PlanSettings } from '../workspace/billing/plan.ts';
import type { AskWorker } from './metrics-page.ts';

export interface ApiOptions {
  databaseUrl: string;
  /** Database connections at most. */
  connectionsMax: number;
  objectStore: ObjectStoreLocation;
  host: string;
  port: number;
  baseUrl: string;
  appUrl: string;
  /** Origins that may use cookies, besides those of app URL and base URL (docs/contract/account.md 2.7). */
  corsOrigins: readonly string[];
  /** Peers whose `X-Forwarded-For` is believed: addresses or ranges. */
  trustedProxies: readonly string[];
  /** True if browsers are instructed to reach all hosts below this one by https too. */
  hstsIncludesSubdomains?: boolean;
  plans: PlanSettings;
  signIn: SignInSettings;
  operators: OperatorSettings;
  /** The facts that the operator page shows. */
  installation: InstallationSettings;
  /** The interval at which this process reports that it is running; absent: never. */
  heartbeatMs?: number;
  /** Null: no sign-in with GitHub. */
  github: GithubSettings | null;
  /** Null: OpenID Connect is not set up. */
  oidc: OidcSettings | null;
  /** Null: no Slack channels are connected. */
  slack: SlackApp | null;
  /** Signs and encrypts what only this installation may read. */
  dataKey: Secret<Buffer>;
  /** The policy for calls to addresses from users. */
  outbound: OutboundPolicy;
  freeSpaceMinBytes: number | null;
  /** The time for which a stop continues to serve before it closes the port. */
  drainMs: number;
  migrations: readonly Migration[];
  /** False while the worker that was started with this process is not up: `/ready` says so. Absent: there is none. */
  isWorkerUp?: () => boolean;
  version: string;
  /** The folder of the built dashboard; null: none is served. */
  dashboardDirectory: string | null;
  /** The settings of the stored source maps; absent: the defaults. */
  maps?: MapSettings;
  /** The folder of the built packages; null: none are served. */
  packagesDirectory: string | null;
  /** The permissions of agents at `/mcp`. */
  mcp: Runtime['mcp'];
  /** The token with which other machines can read `/metrics`, and the worker that was started with this process. */
  metrics: { token: Secret | null; askWorker: AskWorker | null };
  /** Null: no canary. */
  canary: CanarySchedule | null;
  log: Logger;
  limits?: Partial<HttpLimits>;
  /** The lifetimes of streams of changes; those of the contract if absent. */
  streamTimes?: StreamTimes;
  /** Checks every answer against its schema: for tests. */
  verifiesResponses?: boolean;
}

export interface ApiRole {
  /** The address at which the server listens, such as `http://127.0.0.1:4800`. */
  address: string;
  /** Stops by docs/contract/reliability.md A7; true when no request had to be cut. */
  stop(): Promise<boolean>;
}

/** The interval of the canary, and its time limit. */
export interface CanarySchedule {
  intervalSeconds: number;
  /** The interval at which each process checks if a run is due. */
  pollIntervalMs: number;
  timeoutMs: number;
}
