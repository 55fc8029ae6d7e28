import type { Logger } from 'pino';
import type { Config } from '../platform/config/config.ts';
import { readAllowedTarget } from '../platform/outbound/allow-list.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import { locationOf } from '../platform/outbound/target.ts';

/**
 * Builds the outbound policy from the settings. The operator's exceptions are logged, so the log shows what this
 * installation can reach.
 * @param options.port the port where the API listens; 0 when it is unknown
 */
export function outboundPolicy(config: Config, options: { port: number; log: Logger }): OutboundPolicy {
  const { outboundAllowlist, outboundProxy } = config;
  if (outboundAllowlist.length > 0 || outboundProxy !== null) {
    options.log.info(
      { allowlist: outboundAllowlist, hasProxy: outboundProxy !== null },
      'outgoing requests use a configured allowlist or proxy',
    );
  }
  const base = locationOf(new URL(config.baseUrl), 'receiver');
  const app = locationOf(new URL(config.appUrl), 'receiver');
  const ownPorts = [options.port, ...(config.isBaseUrlLoopback ? [base.port] : [])];
  return {
    allowlist: outboundAllowlist.map(readAllowedTarget),
    isLoopbackAllowed: config.isBaseUrlLoopback,
    ownPorts: ownPorts.filter((port) => port !== 0),
    ownHosts: [...new Set([base, app].map(({ host, port }) => `${host}:${port}`))],
    proxyUrl: outboundProxy,
    nameServers: null,
  };
}
