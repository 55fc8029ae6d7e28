import type { Logger } from 'pino';
import { errorFields } from '../../platform/error-fields.ts';
import { addressShare, createBudget } from '../../platform/http/limits/budget.ts';

/** Looks up what belongs to the hash of a credential, and keeps it for a while. */
interface HashLookups<Found> {
  /**
   * Returns the result for a hash. Simultaneous requests share one look-up; a result is not looked up again for a
   * while.
   * @param client whose look-ups must not displace those of others
   * @param isFresh a known result does not count
   */
  find(hash: Buffer, client: string, isFresh?: boolean): Promise<Found | 'unknown' | 'unavailable'>;
  invalidate(hash: Buffer): void;
}

const KNOWN_MAX = 10_000;
const HASHES_PER_LOOKUP_MAX = 256;
const LOOKUPS_WAITING_MAX = 4096;

interface Waiting<Found> {
  hash: Buffer;
  answer: (found: Found | 'unknown' | 'unavailable') => void;
}

/**
 * @param options.knownMs how long something counts as known
 * @param options.usableMs how long it is used while nothing can be looked up
 */
export function createHashLookups<Found>(options: {
  find: (hashes: readonly Buffer[]) => Promise<readonly { hash: Buffer; found: Found }[]>;
  knownMs: number;
  usableMs: number;
  log: Logger;
}): HashLookups<Found> {
  const { knownMs, usableMs, log } = options;
  const known = new Map<string, { found: Found; sinceMs: number }>();
  const lookups = createBudget({ requestsMax: LOOKUPS_WAITING_MAX, bytesMax: 0 }, addressShare);
  let waiting: Waiting<Found>[] = [];
  let isProbing = false;

  async function lookUp(): Promise<void> {
    isProbing = true;
    while (waiting.length > 0) {
      const group = waiting.slice(0, HASHES_PER_LOOKUP_MAX);
      waiting = waiting.slice(HASHES_PER_LOOKUP_MAX);
      await answerGroup(group);
    }
    isProbing = false;
  }

  async function answerGroup(group: Waiting<Found>[]): Promise<void> {
    try {
      const rows = await options.find(group.map(({ hash }) => hash));
      const live = new Map(rows.map(({ hash, found }) => [keyOf(hash), found]));
      for (const { hash, answer } of group) {
        const key = keyOf(hash);
        const found = live.get(key);
        if (found === undefined) known.delete(key);
        else remember(key, found);
        answer(found ?? 'unknown');
      }
    } catch (error) {
      log.warn(errorFields(error), 'tokens could not be looked up');
      for (const { hash, answer } of group) answer(recent(keyOf(hash), usableMs) ?? 'unavailable');
    }
  }

  function remember(key: string, found: Found): void {
    known.delete(key);
    known.set(key, { found, sinceMs: performance.now() });
    if (known.size <= KNOWN_MAX) return;
    const [oldest] = known.keys();
    if (oldest !== undefined) known.delete(oldest);
  }

  function recent(key: string, withinMs: number): Found | null {
    const entry = known.get(key);
    return entry !== undefined && performance.now() - entry.sinceMs < withinMs ? entry.found : null;
  }

  return {
    async find(hash, client, isFresh = false) {
      const found = isFresh ? null : recent(keyOf(hash), knownMs);
      if (found !== null) return found;
      const claim = lookups.open(client);
      try {
        if (!claim.enter()) return 'unavailable';
        return await new Promise((answer) => {
          waiting.push({ hash, answer });
          if (!isProbing) void lookUp();
        });
      } finally {
        claim.close();
      }
    },
    invalidate(hash) {
      known.delete(keyOf(hash));
    },
  };
}

function keyOf(hash: Buffer): string {
  return hash.toString('latin1');
}
