import type { OutboundPolicy } from '../../src/platform/outbound/outbound-policy.ts';
import type { DeliverySettings } from '../../src/roles/settings.ts';

/**
 * Receivers on this machine, as an installation on somebody's own computer has them (docs/contract/notifications.md
 * 5.4).
 */
export const LOCAL_RECEIVERS: OutboundPolicy = {
  allowlist: [],
  isLoopbackAllowed: true,
  ownPorts: [],
  ownHosts: [],
  proxyUrl: null,
  nameServers: null,
};

/** The schedule and the span of docs/contract/notifications.md 3.11. */
export const CONTRACT_DELIVERIES: DeliverySettings = {
  scheduleMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000],
  disableAfterMs: 86_400_000,
};
