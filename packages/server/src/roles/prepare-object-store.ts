import type { Config } from '../platform/config/config.ts';
import { type Database, openDatabase, type Transaction } from '../platform/db/database.ts';
import { sql } from '../platform/db/statement.ts';
import { newUuid } from '../platform/ids.ts';
import {
  getIfThere,
  type ObjectStore,
  ObjectStoreUnavailableError,
} from '../platform/objects/object-store.ts';
import {
  type ObjectStoreLocation,
  openObjectStore,
  placeText,
} from '../platform/objects/open-object-store.ts';

/** The object store cannot be used with its configuration; the service does not start on it. */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError';
}

/** Any number; it only has to be the same in every release. */
const IDENTITY_LOCK = 4_800_002;
export const IDENTITY_KEY = 'store/identity';
/** A folder that is always empty: listing it shows which requests are permitted. */
const EMPTY_FOLDER = 'proof';

const CREDENTIALS_REFUSED = new Set([
  ...['CredentialsProviderError', 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken'],
  ...['ExpiredToken', 'TokenRefreshRequired', 'NotSignedUp'],
]);
const PERMISSION_MISSING = new Set(['AccessDenied', 'AllAccessDisabled', 'Forbidden', '403']);
const WRONG_REGION = new Set([
  ...['PermanentRedirect', 'TemporaryRedirect', 'AuthorizationHeaderMalformed', 'Region is missing'],
  ...['IllegalLocationConstraintException'],
]);

/**
 * Refuses an object store that cannot be written, read, listed and emptied, and, where processes share a database, one
 * that is not the store of the others. The first process of all makes its store the one of the database.
 * @throws ObjectStoreError with a sentence for the operator
 */
export async function prepareObjectStore(config: Pick<Config, 'objectStore' | 'databaseUrl'>): Promise<void> {
  const { objectStore: place, databaseUrl } = config;
  const store = await openObjectStore(place).catch((error: unknown) => {
    throw refusal(place, error);
  });
  await prove(store).catch((error: unknown) => {
    throw refusal(place, error);
  });
  // The embedded database and the files beside it belong to one process anyway.
  if (databaseUrl === null) return;
  const database = openDatabase({
    url: databaseUrl.reveal(),
    connectionsMax: 1,
    connectTimeoutMs: 10_000,
    applicationName: 'culprit-start',
  });
  try {
    await identify(database, store, place);
  } finally {
    await database.close();
  }
}

async function prove(store: ObjectStore): Promise<void> {
  await store.check();
  await store.deleteFolder(EMPTY_FOLDER, 1);
  await store.delete(`${EMPTY_FOLDER}/none`);
  await readText(store, `${EMPTY_FOLDER}/none`);
}

/** One process after the other: the first may have to put the identity into its store while others wait. */
async function identify(database: Database, store: ObjectStore, place: ObjectStoreLocation): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(sql('object-store-lock')`select pg_advisory_xact_lock($1)`, [IDENTITY_LOCK]);
    const [known] = await transaction.query<{ store_id: string }>(
      sql('object-store-identity')`select store_id from object_store`,
    );
    const found = await readText(store, IDENTITY_KEY).catch((error: unknown) => {
      throw refusal(place, error);
    });
    if (known === undefined) await adopt(transaction, store, found);
    else if (known.store_id !== found) {
      throw new ObjectStoreError(
        `${placeText(place)} is not the object store of this database: processes that share a database share its ` +
          'objects, so give each the same CULPRIT_OBJECT_STORE, or on one host the same CULPRIT_DATA_DIR',
      );
    }
  });
}

/** A store may have its identity already, from a start that was cut off or from a copy of the objects. */
async function adopt(transaction: Transaction, store: ObjectStore, found: string | null): Promise<void> {
  const storeId = found ?? newUuid();
  if (found === null) await store.put(IDENTITY_KEY, Buffer.from(storeId));
  await transaction.query(sql('object-store-adopt')`insert into object_store (store_id) values ($1::uuid)`, [
    storeId,
  ]);
}

async function readText(store: ObjectStore, key: string): Promise<string | null> {
  return (await getIfThere(store, key))?.toString('utf8') ?? null;
}

function refusal(place: ObjectStoreLocation, error: unknown): Error {
  if (error instanceof ObjectStoreUnavailableError) {
    return new ObjectStoreError(refusalText(placeText(place), error.reason));
  }
  return error instanceof Error ? error : new Error(String(error));
}

function refusalText(where: string, reason: string): string {
  if (reason === 'NoSuchBucket')
    return `there is no bucket for ${where}; create it, or correct CULPRIT_OBJECT_STORE`;
  if (CREDENTIALS_REFUSED.has(reason)) {
    return `${where} does not accept the credentials (${reason}); set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role`;
  }
  if (PERMISSION_MISSING.has(reason)) {
    return `${where} does not grant all required permissions (${reason}): GetObject, PutObject and DeleteObject on its objects, ListBucket on the bucket`;
  }
  if (WRONG_REGION.has(reason)) {
    return `the region of ${where} is not the right one (${reason}); set AWS_REGION, or set it in CULPRIT_OBJECT_STORE with \`?region=\``;
  }
  return `the object store cannot be used: ${where}: ${reason}`;
}
