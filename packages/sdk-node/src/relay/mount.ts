import { resolve } from 'node:path';
import { active } from '../client/registry.ts';
import { ENVIRONMENT } from '../facts/environment.ts';
import { workingDirectory } from '../facts/runtime-facts.ts';
import { defaultDirectory } from '../local/own-directory.ts';
import type { LeftFiles } from '../local/owned-directory.ts';
import { createDirectDelivery, createLocalDelivery, type RelayDelivery } from './delivery.ts';
import { createDurableDelivery } from './durable-delivery.ts';
import { ownTarget } from './own-target.ts';
import { createRelay, type Relay } from './relay.ts';
import { type RelayAnswer, refuse } from './relay-answer.ts';
import type { RelayCall } from './relay-call.ts';
import { type RelayOptions, type RelaySettings, readRelayOptions } from './relay-options.ts';
import { addRelayPath } from './relay-paths.ts';
import { openRelaySpool } from './relay-spool.ts';
import type { RelayTarget } from './relay-target.ts';

/** A relay before its first call: where it sends to is known only after `init`. */
interface MountedRelay {
  settings: RelaySettings;
  answer(call: RelayCall): Promise<RelayAnswer>;
}

/** Prepares a relay for a server. Nothing is opened before its first call. */
export function mountRelay(options: RelayOptions = {}): MountedRelay {
  const settings = readRelayOptions(options ?? {});
  addRelayPath(settings.path);
  let own: RelayTarget | null = null;
  let opened: { target: RelayTarget; relay: Relay; delivery: RelayDelivery } | null = null;

  /** The client of `init`, unless the relay's options name another address. */
  function findTarget(): RelayTarget {
    const { token, endpoint, mode } = options ?? {};
    const isOwn = token !== undefined || endpoint !== undefined || mode !== undefined;
    const client = isOwn ? null : (active()?.relayTarget() ?? null);
    if (client !== null) return client;
    own ??= ownTarget(options ?? {}, ENVIRONMENT);
    return own;
  }

  function open(): Relay {
    const target = findTarget();
    if (opened?.target !== target) {
      opened?.delivery.close();
      const delivery = openDelivery(settings, options ?? {}, target);
      opened = { target, delivery, relay: createRelay({ settings, target, delivery, now: Date.now }) };
    }
    return opened.relay;
  }

  return {
    settings,
    async answer(call) {
      try {
        return await open().answer(call);
      } catch {
        return refuse('relay_delivery_failed', null);
      }
    },
  };
}

/** Without a token or an address. */
const NO_DELIVERY: RelayDelivery = {
  deliver: async () => ({ isSafe: false, directives: [] }),
  close() {},
};

function openDelivery(settings: RelaySettings, options: RelayOptions, target: RelayTarget): RelayDelivery {
  const now = () => Date.now();
  if (target.mode === 'off') return NO_DELIVERY;
  if (target.mode === 'local') return createLocalDelivery(target, now);
  if (!settings.durable) return createDirectDelivery(target, now);
  const directory =
    typeof options.spoolDir === 'string'
      ? resolve(options.spoolDir)
      : defaultDirectory('browser-relay-spool', workingDirectory() ?? '/');
  const { owner, service } = target;
  const onLeft = (left: LeftFiles) => target.tell('spool_left', { ...left });
  const spool = openRelaySpool({ parent: directory, owner, service, now, onLeft });
  return createDurableDelivery({ target, spool, directory, now });
}
