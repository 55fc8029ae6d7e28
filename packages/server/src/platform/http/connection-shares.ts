import type { Socket } from 'node:net';
import { addressShare } from './budget.ts';
import { clientKey } from './client-key.ts';

/** Decides which connections stay open when there are many. */
export interface ConnectionShares {
  /** Counts a new connection in, perhaps at the expense of an idle one; false when it has to be closed at once. */
  add(socket: Socket): boolean;
  setIdle(socket: Socket, isIdle: boolean): void;
  remove(socket: Socket): void;
}

/**
 * Bounds connections in all and by client address. Where a new one would be too many, the connection that has been idle
 * for longest is closed: of the same address when that has its share, else of the address that has most. A client whose
 * idle connection is closed opens another; without an idle one the new connection is refused.
 * @param isShared whether an address is that of a reverse proxy, which stands for many clients and has no share
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

  /** Whether there is capacity for one more of this address, if need be that of an idle connection. */
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
