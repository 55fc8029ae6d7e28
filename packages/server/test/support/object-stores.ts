import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import type { ObjectStore } from '../../src/platform/objects/object-store.ts';
import { type ObjectStorePlace, openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { startS3Server } from './s3-server.ts';
import type { S3Credentials } from './s3-signature.ts';

/** A store for tests of what all stores have in common. */
export interface TestObjectStore {
  place: ObjectStorePlace;
  store: ObjectStore;
  close(): Promise<void>;
}

const REGISTRY_BUCKET = 'culprit-test';
/** The only ones that server knows. */
const REGISTRY_CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export async function openTestFiles(): Promise<TestObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 'culprit-objects-'));
  const place: ObjectStorePlace = { kind: 'files', directory };
  return {
    place,
    store: await openObjectStore(place),
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Our own strict server. */
export async function openTestS3(): Promise<TestObjectStore> {
  const server = await startS3Server();
  const forget = giveCredentials(server.credentials);
  const place = server.place();
  return {
    place,
    store: await openObjectStore(place),
    async close() {
      forget();
      await server.close();
    },
  };
}

/** A server that others wrote. */
export async function openTestS3rver(): Promise<TestObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 'culprit-s3rver-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: REGISTRY_BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  const forget = giveCredentials(REGISTRY_CREDENTIALS);
  const place: ObjectStorePlace = {
    kind: 's3',
    bucket: REGISTRY_BUCKET,
    prefix: 'some/prefix',
    endpoint: `http://127.0.0.1:${port}`,
    region: null,
    isPathStyle: true,
  };
  return {
    place,
    store: await openObjectStore(place),
    async close() {
      forget();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** As an operator gives them to a process; nothing is looked for elsewhere. Returns how to take them back. */
export function giveCredentials(
  credentials: Pick<S3Credentials, 'accessKeyId' | 'secretAccessKey'>,
): () => void {
  const given = {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const before = Object.keys(given).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, given);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
