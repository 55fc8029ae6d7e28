import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import { errorFields } from '../../platform/error-fields.ts';
import { addressShare, createBudget } from '../../platform/http/budget.ts';
import { findLiveTokens } from './ingest.queries.ts';

/**
 * Keeps wrong tokens away from what valid ones need (docs/contract/ingestion.md 3.1). It decides who is waited for and
 * never who is admitted: that is read from the database for each request, with its events, by the intake window.
 */
export interface KnownTokens {
  /**
   * Whether a live token has this hash. Requests that ask at the same time share one look-up; a token that was found is
   * not looked up again for a while.
   * @param client whose look-ups must not crowd out those of others
   */
  isKnown(hash: Buffer, client: string): Promise<'known' | 'unknown' | 'unavailable'>;
  /** For a token that the window refused. */
  invalidate(hash: Buffer): void;
}

const KNOWN_MS = 60_000;
const KNOWN_MAX = 10_000;
const HASHES_PER_LOOKUP_MAX = 256;
const LOOKUPS_WAITING_MAX = 4096;

interface Waiting {
  hash: Buffer;
  answer: (found: 'known' | 'unknown' | 'unavailable') => void;
}

export function createKnownTokens(database: Database, log: Logger): KnownTokens {
  const knownUntilMs = new Map<string, number>();
  const lookups = createBudget({ requestsMax: LOOKUPS_WAITING_MAX, bytesMax: 0 }, addressShare);
  let waiting: Waiting[] = [];
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

  async function answerGroup(group: Waiting[]): Promise<void> {
    try {
      const found = await findLiveTokens(
        database,
        group.map(({ hash }) => hash),
      );
      const live = new Set(found.map(keyOf));
      for (const { hash, answer } of group) {
        const key = keyOf(hash);
        if (live.has(key)) remember(key);
        answer(live.has(key) ? 'known' : 'unknown');
      }
    } catch (error) {
      log.warn(errorFields(error), 'tokens could not be looked up');
      for (const { answer } of group) answer('unavailable');
    }
  }

  function remember(key: string): void {
    knownUntilMs.delete(key);
    knownUntilMs.set(key, performance.now() + KNOWN_MS);
    if (knownUntilMs.size <= KNOWN_MAX) return;
    const [oldest] = knownUntilMs.keys();
    if (oldest !== undefined) knownUntilMs.delete(oldest);
  }

  return {
    async isKnown(hash, client) {
      if ((knownUntilMs.get(keyOf(hash)) ?? 0) > performance.now()) return 'known';
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
      knownUntilMs.delete(keyOf(hash));
    },
  };
}

function keyOf(hash: Buffer): string {
  return hash.toString('latin1');
}
