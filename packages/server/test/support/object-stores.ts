import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectStore } from '../../src/platform/objects/object-store.ts';
import { type ObjectStoreLocation, openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { type S3Server, startS3Server } from './s3-server.ts';
import type { S3Credentials } from './s3-signature.ts';

/** A store for tests of what all stores have in common. */
export interface TestObjectStore {
  place: ObjectStoreLocation;
  store: ObjectStore;
  close(): Promise<void>;
}

export async function openTestFiles(): Promise<TestObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 'culprit-objects-'));
  const place: ObjectStoreLocation = { kind: 'files', directory };
  return {
    place,
    store: await openObjectStore(place),
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

/** In S3, at a place as most operators have it. */
export async function openTestS3(): Promise<TestObjectStore> {
  const server = await startS3Server();
  return await openAt(server, server.place());
}

/** In S3 below a deeper prefix, with a setting that names no region. */
export async function openTestS3WithoutRegion(): Promise<TestObjectStore> {
  const server = await startS3Server({ region: 'us-east-1' });
  return await openAt(server, server.place({ prefix: 'some/prefix', region: null }));
}

async function openAt(server: S3Server, place: ObjectStoreLocation): Promise<TestObjectStore> {
  const forget = giveCredentials(server.credentials);
  return {
    place,
    store: await openObjectStore(place),
    async close() {
      forget();
      await server.close();
    },
  };
}

type Keys = Pick<S3Credentials, 'accessKeyId' | 'secretAccessKey'>;

/** As an operator gives them to a process; nothing is looked for elsewhere. */
export function credentialSettings({ accessKeyId, secretAccessKey }: Keys) {
  return {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

/** Gives them to this process. Returns how to take them back. */
export function giveCredentials(credentials: Keys): () => void {
  const given = credentialSettings(credentials);
  const before = Object.keys(given).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, given);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
