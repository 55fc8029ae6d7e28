import { ownerOf } from '../local/owned-directory.ts';
import type { RelayTarget } from './implementation.ts';
import type { ClientParts } from './start-client.ts';

/** Returns the target of a relay of browsers: the connection, policy and trigger key of this client. */
export function createRelayTarget({ runtime, delivery, report }: ClientParts): RelayTarget {
  const { options, policy, triggers } = runtime;
  return {
    mode: options.delivery === 'local' ? 'local' : options.delivery === 'off' ? 'off' : 'connected',
    service: options.service,
    owner: () => ownerOf(options.endpoint?.events ?? null, options.token),
    localDirectory: options.localDir,
    send: delivery.send,
    passesProbes: () => policy()?.capture_probe_events === 'standalone_when_activated',
    checkTrigger: triggers.check,
    tell: report,
  };
}
