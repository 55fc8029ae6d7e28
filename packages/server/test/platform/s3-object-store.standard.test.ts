import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ObjectMissingError, type ObjectStore } from '../../src/platform/objects/object-store.ts';
import { createS3ObjectStore } from '../../src/platform/objects/s3-object-store.ts';
import { giveCredentials } from '../support/object-stores.ts';
import { type S3Fault, type S3Server, startS3Server } from '../support/s3-server.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';

/** What an S3 store does when requests go wrong; `object-store-behaviour.standard.test.ts` has what all stores do. */

const WRITE_TIMEOUT_MS = 3000;
/** For much work at once in one process with its server. */
const PATIENT_TIMEOUT_MS = 25_000;
const KEY = 'raw/p1/2026-01-01/a';
const PLACE = `culprit/${KEY}`;
const BYTES = Buffer.alloc(70_000, 'bytes of an object ');

let server: S3Server;
let store: ObjectStore;
let forget: () => void;
beforeEach(async () => {
  server = await startS3Server();
  forget = giveCredentials(server.credentials);
  store = openStore();
});
afterEach(async () => {
  forget();
  await server.close();
});

function openStore(
  changes: Parameters<S3Server['place']>[0] = {},
  timeoutMs = WRITE_TIMEOUT_MS,
): ObjectStore {
  const place = server.place(changes);
  if (place.kind !== 's3') throw new Error('not an S3 store');
  return createS3ObjectStore({ address: place, writeTimeoutMs: timeoutMs, readTimeoutMs: timeoutMs });
}

/** The faults in turn, one request each, then none. */
function goWrong(...faults: (S3Fault | null)[]): void {
  server.fault = () => faults.shift() ?? null;
}

describe('a put', () => {
  it('is one request below the prefix', async () => {
    await store.put(KEY, BYTES);
    expect(server.requests).toEqual([`PUT ${PLACE}`]);
    expect(server.objects.get(PLACE)).toEqual(BYTES);
  });

  it('needs no prefix', async () => {
    await openStore({ prefix: '' }).put(KEY, BYTES);
    expect([...server.objects.keys()]).toEqual([KEY]);
  });

  it.each<[string, S3Fault]>([
    ['refused for the moment', 'fails'],
    ['told to slow down', { kind: 'refuses', status: 503, code: 'SlowDown' }],
    ['told that there is too much', { kind: 'refuses', status: 429, code: 'TooManyRequests' }],
    ['told of a conflict', { kind: 'refuses', status: 409, code: 'ConditionalRequestConflict' }],
    ['damaged on the way', 'damages'],
  ])('that is %s is made again', async (_what, fault) => {
    goWrong(fault);
    await store.put(KEY, BYTES);
    expect(server.objects.get(PLACE)).toEqual(BYTES);
  });

  it.each<S3Fault>(['fails_late', 'breaks_off_late'])(
    'that %s finds its key taken by itself and has succeeded',
    async (fault) => {
      goWrong(fault);
      await store.put(KEY, BYTES);
      expect(server.requests).toEqual([`PUT ${PLACE}`, `PUT ${PLACE}`, `GET ${PLACE}`]);
      expect(server.objects.get(PLACE)).toEqual(BYTES);
    },
  );

  it('never replaces another object', async () => {
    const other = Buffer.alloc(BYTES.length, 'other');
    server.objects.set(PLACE, other);
    await expect(store.put(KEY, BYTES)).rejects.toMatchObject({ reason: 'PreconditionFailed' });
    expect(server.objects.get(PLACE)).toEqual(other);
  });

  it('goes without the condition where the store does not know it', async () => {
    server.fault = () => 'knows_no_conditions';
    await store.put(KEY, BYTES);
    await store.put(`${KEY}2`, BYTES);
    // Asked once.
    expect(server.requests).toEqual([`PUT ${PLACE}`, `PUT ${PLACE}`, `PUT ${PLACE}2`]);
  });

  it.each<[S3Fault, string]>([
    [{ kind: 'refuses', status: 403, code: 'AccessDenied' }, 'AccessDenied'],
    [{ kind: 'refuses', status: 400, code: 'EntityTooLarge' }, 'EntityTooLarge'],
    ['has_no_bucket', 'NoSuchBucket'],
  ])('that will never be taken is made once: %j', async (fault, reason) => {
    server.fault = () => fault;
    await expect(store.put(KEY, BYTES)).rejects.toMatchObject({
      name: 'ObjectStoreUnavailableError',
      reason,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('with credentials that are wrong says so and no secret', async () => {
    process.env.AWS_SECRET_ACCESS_KEY = 'another-secret-key';
    const failure: unknown = await openStore()
      .put(KEY, BYTES)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: 'SignatureDoesNotMatch' });
    expect(String(failure)).not.toContain('another-secret-key');
    expect(server.objects.size).toBe(0);
  });

  it('ends at its time limit when the store hangs, is slow, or is not there', async () => {
    const hasty = openStore({}, 300);
    for (const fault of ['hangs', { kind: 'slow', delayMs: 60_000 }] as const) {
      server.fault = () => fault;
      await expect(hasty.put(KEY, BYTES)).rejects.toMatchObject({ reason: 'timeout' });
    }
    const nowhere = openStore({ endpoint: 'http://127.0.0.1:1' }, 2000);
    await expect(nowhere.put(KEY, BYTES)).rejects.toMatchObject({ reason: 'ECONNREFUSED' });
  });

  it('tries no longer than its time limit while the store fails', async () => {
    server.fault = () => 'fails';
    // Another reason than the time limit: it was given up before.
    await expect(store.put(KEY, BYTES)).rejects.toMatchObject({ reason: 'ServiceUnavailable' });
    expect(server.requests).toHaveLength(6);
  });

  it('succeeds nearly always where three of ten answers are wrong', async () => {
    const random = seededRandom(chooseSeed());
    server.fault = () =>
      random.chance(0.3) ? random.pick(['fails', 'fails_late', 'breaks_off_late'] as const) : null;
    let stored = 0;
    const put = async (part: number) => {
      for (let index = 0; index < 25; index += 1) {
        await store.put(`raw/p1/${part}/${index}`, BYTES).then(
          () => {
            stored += 1;
          },
          () => {},
        );
      }
    };
    await Promise.all([0, 1, 2, 3].map(put));
    expect(stored).toBeGreaterThanOrEqual(97);
  });

  it('is made many at a time', async () => {
    const keys = Array.from({ length: 150 }, (_, index) => `raw/p1/day/${index}`);
    const patient = openStore({}, PATIENT_TIMEOUT_MS);
    await Promise.all(keys.map((key) => patient.put(key, Buffer.from(key))));
    expect(server.objects.size).toBe(keys.length);
  });
});

describe('a read', () => {
  beforeEach(() => void server.objects.set(PLACE, BYTES));

  it.each<S3Fault>(['fails', 'breaks_off_late', 'breaks_off_in_body'])(
    'that %s is made again',
    async (fault) => {
      goWrong(fault);
      expect(await store.get(KEY)).toEqual(BYTES);
      goWrong(fault);
      expect(await store.getRange(KEY, 100, 50)).toEqual(BYTES.subarray(100, 150));
    },
  );

  it('of a bucket that is gone is no missing object', async () => {
    server.fault = () => 'has_no_bucket';
    await expect(store.get(KEY)).rejects.toMatchObject({ reason: 'NoSuchBucket' });
    await expect(store.exists(KEY)).rejects.toMatchObject({ reason: 'NoSuchBucket' });
    await expect(store.deleteFolder('raw/p1', 10)).rejects.toMatchObject({ reason: 'NoSuchBucket' });
    server.fault = () => null;
    await expect(store.get(`${KEY}2`)).rejects.toThrow(ObjectMissingError);
  });

  it('ends at its time limit when the body stands still', async () => {
    server.fault = () => 'hangs_in_body';
    await expect(openStore({}, 300).get(KEY)).rejects.toMatchObject({ reason: 'timeout' });
  });
});

it('a folder of more objects than a store lists at once is emptied', async () => {
  for (let index = 0; index < 130; index += 1)
    server.objects.set(`culprit/raw/p1/day/${index}`, BYTES.subarray(0, 9));
  server.objects.set('culprit/raw/p2/day/1', BYTES);
  const patient = openStore({}, PATIENT_TIMEOUT_MS);
  expect(await patient.deleteFolder('raw/p1', 120)).toBe(120);
  expect(await patient.deleteFolder('raw/p1', 500)).toBe(10);
  expect([...server.objects.keys()]).toEqual(['culprit/raw/p2/day/1']);
});

describe('the check', () => {
  it('writes, and its yes is good for some seconds: anybody may ask for it', async () => {
    for (let time = 0; time < 5; time += 1) await store.check();
    expect(server.requests).toEqual(['PUT culprit/tmp/check']);
  });

  it('is made anew after a no', async () => {
    server.fault = () => ({ kind: 'refuses', status: 403, code: 'AccessDenied' });
    await expect(store.check()).rejects.toMatchObject({ reason: 'AccessDenied' });
    server.fault = () => null;
    await store.check();
  });
});
