import { isDsnKeyShaped, projectNumber } from '@culprit/contract/events/dsn';
import type { Logger } from 'pino';
import type { Database } from '../../../platform/db/database.ts';
import { isTokenShaped, tokenHash, tokenPreview } from '../../../workspace/tokens/token.ts';
import { createHashLookups } from '../hash-lookups.ts';
import { findKeyFacts, type KeyFacts } from './foreign-keys.queries.ts';
import { type ForeignRefusal, refusal, UNAVAILABLE_NOW } from './foreign-refusal.ts';

/** The place in which a key is used. */
interface KeyUse {
  /** The number of the project in the address; null if the address has none. */
  number: string | null;
  /** Normalized; null for none, and undefined where it is judged later. */
  origin: string | null | undefined;
  /** The client whose look-ups must not displace those of others. */
  client: string;
  takesProjectTokens: boolean;
}

/** Finds the keys of foreign senders, and judges them before a body is read. */
export interface ForeignKeys {
  /** Steps 1 to 3 of docs/contract/foreign-protocols.md 3.2; the refusal of a known key comes with its facts. */
  judge(
    key: string,
    use: KeyUse,
  ): Promise<{ key: KeyFacts; refusal: ForeignRefusal | null } | ForeignRefusal>;
  /** For a key that the window refused. */
  invalidate(key: KeyFacts): void;
}

/** The time for which a key is not looked up again: a member's change acts with the next request of a quiet sender. */
const KNOWN_MS = 2000;
/** The same while the database cannot be reached, for requests that need no window. */
const USABLE_MS = 60_000;

export function createForeignKeys(database: Database, log: Logger): ForeignKeys {
  const lookups = createHashLookups<KeyFacts>({
    find: async (hashes) =>
      (await findKeyFacts(database, hashes)).map((found) => ({ hash: found.tokenHash, found })),
    knownMs: KNOWN_MS,
    usableMs: USABLE_MS,
    log,
  });

  function shapeFault(key: string, { takesProjectTokens }: KeyUse): ForeignRefusal | null {
    if (isTokenShaped('project', key)) {
      if (takesProjectTokens) return null;
      log.warn({ tokenPreview: tokenPreview(key) }, 'a project token was sent in a DSN');
      return refusal(
        'project_token_in_dsn',
        'This is a project token, which is secret. Use the DSN of the project, and revoke the token if it was published.',
      );
    }
    return isDsnKeyShaped(key) ? null : KEY_UNKNOWN;
  }

  return {
    async judge(key, use) {
      const fault = shapeFault(key, use);
      if (fault !== null) return fault;
      const hash = tokenHash(key);
      let found = await lookups.find(hash, use.client);
      if (typeof found === 'object' && faultOf(found, use) !== null) {
        // It may have been changed since it was read.
        found = await lookups.find(hash, use.client, true);
      }
      if (found === 'unknown') return KEY_UNKNOWN;
      if (found === 'unavailable') return UNAVAILABLE_NOW;
      return { key: found, refusal: faultOf(found, use) };
    },
    invalidate: ({ tokenHash: hash }) => lookups.invalidate(hash),
  };
}

export const KEY_UNKNOWN = refusal(
  'key_unknown',
  'No project has this key, or it was revoked. Copy the DSN from the settings of the project.',
);

function faultOf(key: KeyFacts, { number, origin }: KeyUse): ForeignRefusal | null {
  if (number !== null && number !== projectNumber(key.projectId)) {
    return refusal(
      'wrong_project_number',
      `The key belongs to the project ${projectNumber(key.projectId)}. Copy the whole DSN.`,
    );
  }
  return origin === undefined || isOriginAllowed(key, origin) ? null : ORIGIN_NOT_ALLOWED;
}

export const ORIGIN_NOT_ALLOWED = refusal(
  'origin_not_allowed',
  'The key can be used only from the origins in its settings, and this request has another origin or none.',
);

export function isOriginAllowed({ allowedOrigins }: KeyFacts, origin: string | null): boolean {
  return allowedOrigins.length === 0 || (origin !== null && allowedOrigins.includes(origin));
}
