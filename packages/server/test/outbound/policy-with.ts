import { readAllowedTarget } from '../../src/platform/outbound/allow-list.ts';
import type { OutboundPolicy } from '../../src/platform/outbound/outbound-policy.ts';
import type { GuardedRequest } from '../../src/platform/outbound/send-guarded.ts';

/** The policy of a service on the public internet, with what a test changes of it. */
export function policyWith(
  changes: Partial<Omit<OutboundPolicy, 'allowlist'>> & { allowlist?: readonly string[] } = {},
): OutboundPolicy {
  return {
    isLoopbackAllowed: false,
    ownPorts: [],
    ownHosts: [],
    proxyUrl: null,
    nameServers: null,
    ...changes,
    allowlist: (changes.allowlist ?? []).map(readAllowedTarget),
  };
}

/** A request as availability checks make it. */
export function checkOf(url: string, changes: Partial<GuardedRequest> = {}): GuardedRequest {
  return {
    method: 'GET',
    url,
    headers: { 'user-agent': 'culprit-availability/1', accept: '*/*' },
    timeoutMs: 5000,
    bodyBytesMax: 65_536,
    redirects: { max: 5 },
    purpose: 'availability_check',
    ...changes,
  };
}

/** A request as webhooks make it. */
export function deliveryTo(url: string, changes: Partial<GuardedRequest> = {}): GuardedRequest {
  return {
    method: 'POST',
    url,
    headers: { 'user-agent': 'culprit-webhooks/1', 'content-type': 'application/json' },
    body: '{"event":"bundle.created"}',
    timeoutMs: 10_000,
    bodyBytesMax: 16_384,
    redirects: 'refuse',
    ...changes,
  };
}
