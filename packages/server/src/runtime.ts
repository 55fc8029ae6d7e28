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
 * What operations work with: made once by each process and handed to every feature. An operation is
 * `(runtime, request)`; what it calls takes the parts that it needs.
 */
export interface Runtime {
  /** Of the running release. */
  readonly version: string;
  readonly database: Database;
  readonly objects: ObjectStore;
  /** The thread that groups stored events for previews; intake has another, which they must not delay. */
  readonly fingerprints: ExactFingerprints;
  /** Tells when something is written to the ledger. */
  readonly ledger: LedgerWatch;
  /** Every table of the schema. */
  readonly tables: readonly Table[];
  /** What may be called at addresses that users give. */
  readonly outbound: OutboundPolicy;
  readonly keys: Keys;
  readonly plans: PlanSettings;
  readonly payments: PaymentProvider;
  readonly signIn: SignInSettings;
  readonly operators: OperatorSettings;
  /** Null: nobody signs in with GitHub. */
  readonly github: GithubSettings | null;
  /** Null: OpenID Connect is not set up. */
  readonly oidc: OidcSettings | null;
  /** Null: none is configured; no channels are connected and no rule can name one. */
  readonly slackApp: SlackApp | null;
  /** Whether agents may ask at `/mcp`, and whether they may change something there. */
  readonly mcp: 'off' | 'read' | 'write';
  /** Whether this server hands out packages, and which, once they are built. */
  readonly packages: { readonly isOn: boolean; readonly read: () => HandedOut | null };
  /** What is kept of source maps. */
  readonly maps: MapSettings;
  /** Where the API is reached, without a final slash. */
  readonly baseUrl: string;
  /** Where people are led to, without a final slash. */
  readonly appUrl: string;
  readonly log: Logger;
}
