/** What requests with events hold at once in this process, by sender, so that one leaves room for the others. */
export interface IntakeShares {
  /** Counts a request in; null when there is no room for this sender now. */
  enter(sender: string): IntakeShare | null;
}

/** The place of one request, from its headers to its answer. */
export interface IntakeShare {
  /** Counts body bytes in as they arrive; false when there is no room, and then nothing is counted. */
  takeBytes(sizeBytes: number): boolean;
  /** Gives back the place and its bytes. Belongs behind the answer, also for a client that has gone by then. */
  leave(): void;
}

export interface IntakeLimits {
  requestsMax: number;
  bytesMax: number;
}

/** Reliability rule A6. */
export const INTAKE_LIMITS: IntakeLimits = { requestsMax: 256, bytesMax: 32 * 1024 * 1024 };
/** What one sender may hold while others have requests under way. */
const SHARE_BESIDE_OTHERS = 1 / 4;
/** And while it is alone: the rest is where others get in, after which the first limit holds. */
const SHARE_ALONE = 7 / 8;

export function createIntakeShares(limits: IntakeLimits = INTAKE_LIMITS): IntakeShares {
  const senders = new Map<string, Held>();
  const all: Held = { requests: 0, bytes: 0 };

  function hasRoom(unit: keyof Held, own: Held, amount: number, max: number): boolean {
    if (all[unit] + amount > max) return false;
    // What a sender's only request needs is never too much for its share.
    if (unit === 'bytes' && own.requests === 1) return true;
    const isAlone = own.requests === all.requests;
    return own[unit] + amount <= max * (isAlone ? SHARE_ALONE : SHARE_BESIDE_OTHERS);
  }

  return {
    enter(sender) {
      const own = senders.get(sender) ?? { requests: 0, bytes: 0 };
      if (!hasRoom('requests', own, 1, limits.requestsMax)) return null;
      senders.set(sender, own);
      own.requests += 1;
      all.requests += 1;
      let bytes = 0;
      return {
        takeBytes(sizeBytes) {
          if (!hasRoom('bytes', own, sizeBytes, limits.bytesMax)) return false;
          bytes += sizeBytes;
          own.bytes += sizeBytes;
          all.bytes += sizeBytes;
          return true;
        },
        leave() {
          own.requests -= 1;
          all.requests -= 1;
          own.bytes -= bytes;
          all.bytes -= bytes;
          bytes = 0;
          if (own.requests === 0) senders.delete(sender);
        },
      };
    },
  };
}

interface Held {
  requests: number;
  bytes: number;
}
