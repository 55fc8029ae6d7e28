/**
 * The capacity that one class of requests can use at the same time in this process (docs/contract/reliability.md A6).
 */
export interface Budget {
  /**
   * Opens the count of what one request of this client uses; it is empty at first. This text distinguishes clients: an
   * address, or the hash of a token.
   */
  open(client: string): Claim;
  readonly requestsInFlight: number;
  readonly bytesInFlight: number;
}

/**
 * The use of one request. A slot is for work that this process does. While a request waits for its client, such as for
 * the rest of a body, it has no slot and only the bytes that have arrived.
 */
export interface Claim {
  /** Takes a slot; false when the class is full or the client has its share. True for a request that has one. */
  enter(): boolean;
  /** Releases the slot and keeps the bytes. */
  exit(): void;
  /** Counts bytes in as they arrive; false when the class is full or the client has its share: nothing is counted. */
  takeBytes(sizeBytes: number): boolean;
  /**
   * Counts bytes that can wait for others to be released. One request of a client at a time can have more than the
   * client's share, and a part always remains for requests that do not wait. False when the time has run out.
   */
  waitForBytes(sizeBytes: number, timeoutMs: number): true | Promise<boolean>;
  /** Releases everything permanently. */
  close(): void;
}

export interface BudgetLimits {
  requestsMax: number;
  bytesMax: number;
}

/** Decides whether a client can use this much of a class; `own` and `all` include the requested amount. */
type ShareRule = (use: { own: number; all: number; max: number; isAlone: boolean }) => boolean;

/**
 * docs/contract/reliability.md A6: a quarter while others wait, and seven eighths alone: the rest is where others get
 * in.
 */
export const tenantShare: ShareRule = ({ own, max, isAlone }) =>
  own <= max * (isAlone ? SHARE_ALONE : SHARE_WITH_OTHERS);
const SHARE_ALONE = 7 / 8;
const SHARE_WITH_OTHERS = 1 / 4;

/**
 * A client may use three times what it leaves free: three quarters alone, and less the more others use, so that several
 * that take their whole share still leave something to a new one.
 */
export const addressShare: ShareRule = ({ own, all, max }) => own <= FREE_MULTIPLE * (max - all);
const FREE_MULTIPLE = 3;

/** The share of a class's bytes that is reserved for requests that do not wait for them. */
const BYTES_SHARE_WITHOUT_WAIT = 1 / 4;

/** Bytes that others may have sent of unfinished bodies while a client still counts as alone. */
const COMPANY_BYTES_SHARE = 1 / 64;

export function createBudget(limits: BudgetLimits, mayUse: ShareRule): Budget {
  const clients = new Map<string, Use>();
  const all: Use = { requests: 0, bytes: 0, open: 0, beyondShare: null };
  /** Those that wait for bytes, in their order. */
  const waiting = new Set<() => void>();

  function isAlone(own: Use): boolean {
    return own.requests === all.requests && all.bytes - own.bytes <= limits.bytesMax * COMPANY_BYTES_SHARE;
  }

  function has(unit: 'requests' | 'bytes', own: Use, amount: number, max: number): boolean {
    if (all[unit] + amount > max) return false;
    // The need of a client's only request never exceeds its share.
    if (unit === 'bytes' ? own.open === 1 : own.requests === 0) return true;
    return mayUse({ own: own[unit] + amount, all: all[unit] + amount, max, isAlone: isAlone(own) });
  }

  /** Returns true if bytes can be counted for a request that can wait for them. */
  function hasAfterWait(claim: Claim, own: Use, sizeBytes: number): boolean {
    if (all.bytes + sizeBytes > limits.bytesMax * (1 - BYTES_SHARE_WITHOUT_WAIT)) return false;
    if (has('bytes', own, sizeBytes, limits.bytesMax)) return true;
    if (own.beyondShare !== null && own.beyondShare !== claim) return false;
    own.beyondShare = claim;
    return true;
  }

  return {
    open(client) {
      const own = clients.get(client) ?? { requests: 0, bytes: 0, open: 0, beyondShare: null };
      clients.set(client, own);
      own.open += 1;
      all.open += 1;
      let [isInside, isClosed, bytes] = [false, false, 0];
      let stopWaiting: (() => void) | null = null;

      function count(sizeBytes: number): void {
        bytes += sizeBytes;
        own.bytes += sizeBytes;
        all.bytes += sizeBytes;
      }

      const claim: Claim = {
        enter() {
          if (isInside) return true;
          if (isClosed || !has('requests', own, 1, limits.requestsMax)) return false;
          isInside = true;
          own.requests += 1;
          all.requests += 1;
          return true;
        },
        exit() {
          if (!isInside) return;
          isInside = false;
          own.requests -= 1;
          all.requests -= 1;
        },
        takeBytes(sizeBytes) {
          if (isClosed || !has('bytes', own, sizeBytes, limits.bytesMax)) return false;
          count(sizeBytes);
          return true;
        },
        waitForBytes(sizeBytes, timeoutMs) {
          if (isClosed) return Promise.resolve(false);
          const take = () => {
            const isTaken = hasAfterWait(claim, own, sizeBytes);
            if (isTaken) count(sizeBytes);
            return isTaken;
          };
          if (take()) return true;
          return new Promise((resolve) => {
            const settle = (isTaken: boolean) => {
              clearTimeout(timer);
              waiting.delete(retry);
              stopWaiting = null;
              resolve(isTaken);
            };
            const retry = () => {
              if (take()) settle(true);
            };
            const timer = setTimeout(settle, timeoutMs, false);
            stopWaiting = () => settle(false);
            waiting.add(retry);
          });
        },
        close() {
          if (isClosed) return;
          isClosed = true;
          claim.exit();
          own.bytes -= bytes;
          all.bytes -= bytes;
          own.open -= 1;
          all.open -= 1;
          if (own.beyondShare === claim) own.beyondShare = null;
          if (own.open === 0) clients.delete(client);
          stopWaiting?.();
          for (const retry of waiting) retry();
        },
      };
      return claim;
    },
    get requestsInFlight() {
      return all.requests;
    },
    get bytesInFlight() {
      return all.bytes;
    },
  };
}

interface Use {
  requests: number;
  bytes: number;
  /** Requests with and without a slot. */
  open: number;
  /** The request that has more bytes than the client's share. */
  beyondShare: Claim | null;
}
