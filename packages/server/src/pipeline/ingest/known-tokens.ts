import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import { createHashLookups } from './hash-lookups.ts';
import { findLiveTokens } from './ingest.queries.ts';

/**
 * Keeps wrong tokens away from the resources that valid ones need (docs/contract/ingestion.md 3.1). It decides for
 * which requests the server waits and never which are admitted: that is read from the database for each request, with
 * its events, by the window of the event intake.
 */
export interface KnownTokens {
  /** Returns whether a live token has this hash. @param client whose look-ups must not displace those of others */
  isKnown(hash: Buffer, client: string): Promise<'known' | 'unknown' | 'unavailable'>;
  /** For a token that the window refused. */
  invalidate(hash: Buffer): void;
}

const KNOWN_MS = 60_000;

export function createKnownTokens(database: Database, log: Logger): KnownTokens {
  const lookups = createHashLookups<'known'>({
    find: async (hashes) =>
      (await findLiveTokens(database, hashes)).map((hash) => ({ hash, found: 'known' })),
    knownMs: KNOWN_MS,
    usableMs: KNOWN_MS,
    log,
  });
  return {
    isKnown: (hash, client) => lookups.find(hash, client),
    invalidate: (hash) => lookups.invalidate(hash),
  };
}
