import type { Secret } from '../secrets/secret.ts';
import type { AllowedTarget } from './allow-list.ts';

/** The purpose of a target: the rules differ for receivers of deliveries and for availability checks. */
export type OutboundPurpose =
  /** Webhooks, alerts, weekly reports: https, and this machine while the base URL is loopback. */
  | 'receiver'
  /** Availability checks: http too, this machine never unless it is allow-listed. */
  | 'availability_check';

/**
 * The targets that are allowed at addresses from users (docs/contract/notifications.md 5). Read at start; no request
 * can widen it.
 */
export interface OutboundPolicy {
  /** The targets that the operator allowed (`CULPRIT_OUTBOUND_ALLOWLIST`). */
  allowlist: readonly AllowedTarget[];
  /**
   * True if receivers can be `localhost`, 127.0.0.0/8 or `[::1]`, as written: while the base URL is itself loopback.
   */
  isLoopbackAllowed: boolean;
  /** Ports this service listens on: closed on every address of this machine, whatever else is allowed. */
  ownPorts: readonly number[];
  /** Hosts with port under which others reach this service, such as `errors.example.com:443`: closed too. */
  ownHosts: readonly string[];
  /** The operator's proxy, which then enforces the address rules (`CULPRIT_OUTBOUND_PROXY`). Null: there is none. */
  proxyUrl: Secret | null;
  /** Name servers as `address:port` in place of the system's, for tests. Null: the system's. */
  nameServers: readonly string[] | null;
}
