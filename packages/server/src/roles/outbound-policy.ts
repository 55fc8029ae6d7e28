import type { Logger } from 'pino';
import type { Config } from '../platform/config/config.ts';
import { readAllowedTarget } from '../platform/outbound/allow-list.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import { locationOf } from '../platform/outbound/target.ts';

/**
 * The outbound policy from the settings. What the operator opened is logged: whoever reads the log sees what this
 * installation may reach.
 * @param options.port where the API really listens; 0 when that is not known
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
