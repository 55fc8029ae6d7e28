import type { HandedOut } from '@culprit/contract/endpoints/server';
import type { Logger } from 'pino';
import type { ExactFingerprints } from './capture/exact-fingerprints.ts';
import type { MapSettings } from './maps/map-settings.ts';
import type { SlackApp } from './notify/slack/slack-settings.ts';
import type { LedgerWatch } from './pipeline/ledger/ledger-watch.ts';
import type { Database } from './platform/db/database.ts';
import type { ObjectStore } from './platform/objects/object-store.ts';
import type { OutboundPolicy } from './platform/outbound/outbound-policy.ts';
import type { Keys } from './platform/secrets/keys.ts';
import type { Table } from './table.ts';
import type { GithubSettings } from './workspace/accounts/github/github-settings.ts';
import type { OidcSettings } from './workspace/accounts/oidc/oidc-settings.ts';
import type { OperatorSettings } from './workspace/accounts/operators.ts';
import type { SignInSettings } from './workspace/accounts/sign-in-settings.ts';
import type { PaymentProvider } from './workspace/billing/payment-provider.ts';
import type { PlanSettings } from './workspace/billing/plan.ts';

/**
 * The dependencies of operations: created once by each process and passed to every feature. An operation is
 * `(runtime, request)`; the functions that it calls take the parts that they need.
 */
export interface Runtime {
  /** The version of the running release. */
  readonly version: string;
  readonly database: Database;
  readonly objects: ObjectStore;
  /**
   * The thread that groups stored events for previews. Event intake has another thread, so that previews do not delay
   * it.
   */
  readonly fingerprints: ExactFingerprints;
  /** Notifies readers when rows are written to the ledger. */
  readonly ledger: LedgerWatch;
  /** Every table of the schema. */
  readonly tables: readonly Table[];
  /** The policy for calls to addresses that users enter. */
  readonly outbound: OutboundPolicy;
  readonly keys: Keys;
  readonly plans: PlanSettings;
  readonly payments: PaymentProvider;
  readonly signIn: SignInSettings;
  readonly operators: OperatorSettings;
  /** Null: sign-in with GitHub is disabled. */
  readonly github: GithubSettings | null;
  /** Null: OpenID Connect is not set up. */
  readonly oidc: OidcSettings | null;
  /** Null: none is configured; no channels are connected and no rule can name one. */
  readonly slackApp: SlackApp | null;
  /** The access of agents at `/mcp`: none, read only, or read and write. */
  readonly mcp: 'off' | 'read' | 'write';
  /** The packages that this server offers, once they are built, and whether it offers any. */
  readonly packages: { readonly isOn: boolean; readonly read: () => HandedOut | null };
  /** The settings for storing source maps. */
  readonly maps: MapSettings;
  /** The URL of the API, without a final slash. */
  readonly baseUrl: string;
  /** The URL of the dashboard, without a final slash. */
  readonly appUrl: string;
  readonly log: Logger;
}
