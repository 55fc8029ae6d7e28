import type { Socket } from 'node:net';
import { addressShare } from './budget.ts';
import { clientKey } from './client-key.ts';

/** Decides which connections stay open when there are many. */
interface ConnectionShares {
  /**
   * Counts a new connection, if necessary by closing an idle one; false when the new one must be closed immediately.
   */
  add(socket: Socket): boolean;
  setIdle(socket: Socket, isIdle: boolean): void;
  remove(socket: Socket): void;
}

/**
 * Bounds connections in total and by client address. If a new one would exceed a bound, the connection that has been
 * idle for longest is closed: one of the same address when that has its share, else one of the address that has most. A
 * client whose idle connection is closed opens another; if there is no idle one, the new connection is refused.
 * @param isShared returns true for the address of a reverse proxy, which represents many clients and has no share
 */
export function createConnectionShares(
  connectionsMax: number,
  isShared: (address: string) => boolean,
): ConnectionShares {
  const addresses = new Map<string, Connections>();
  const owners = new Map<Socket, Connections>();

  function closeOldestIdle(connections: Connections): boolean {
    for (const socket of connections.idle) {
      remove(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  function remove(socket: Socket): void {
    const own = owners.get(socket);
    if (own === undefined) return;
    owners.delete(socket);
    own.idle.delete(socket);
    own.count -= 1;
    if (own.count === 0) addresses.delete(own.address);
  }

  /** The address with most connections of those that have an idle one. */
  function largestWithIdle(): Connections | null {
    let largest: Connections | null = null;
    for (const connections of addresses.values()) {
      if (connections.idle.size > 0 && connections.count > (largest?.count ?? 0)) largest = connections;
    }
    return largest;
  }

  /**
   * Returns true if there is capacity for one more connection of this address, if necessary after closing an idle one.
   */
  function reserve(own: Connections): boolean {
    const all = owners.size + 1;
    const use = { own: own.count + 1, all, max: connectionsMax, isAlone: false };
    if (own.count > 0 && !own.isShared && !addressShare(use)) return closeOldestIdle(own);
    if (all <= connectionsMax) return true;
    const largest = largestWithIdle();
    return largest !== null && closeOldestIdle(largest);
  }

  return {
    add(socket) {
      const address = socket.remoteAddress ?? '';
      const key = clientKey(address);
      const own = addresses.get(key) ?? {
        address: key,
        isShared: isShared(address),
        count: 0,
        idle: new Set(),
      };
      if (!reserve(own)) return false;
      addresses.set(key, own);
      owners.set(socket, own);
      own.count += 1;
      own.idle.add(socket);
      return true;
    },
    setIdle(socket, isIdle) {
      const idle = owners.get(socket)?.idle;
      if (idle === undefined) return;
      // Last in line again.
      idle.delete(socket);
      if (isIdle) idle.add(socket);
    },
    remove,
  };
}

interface Connections {
  address: string;
  isShared: boolean;
  count: number;
  /** Oldest first. */
  idle: Set<Socket>;
}
