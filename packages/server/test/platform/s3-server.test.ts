import { createHash } from 'node:crypto';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { signatureRefusal } from '../support/s3-signature.ts';

const BEGAN_MS = Date.now();

/** The S3 server of the tests behaves as the API reference of Amazon S3 says, asked with Amazon's own client. */

const Bucket = 'culprit-test';
const BYTES = Buffer.from('0123456789');

let server: S3Server;
let client: S3Client;
beforeEach(async () => {
  server = await startS3Server();
  client = openClient(server.credentials);
});
afterEach(async () => {
  client.destroy();
  await server.close();
});

function openClient(credentials: { accessKeyId: string; secretAccessKey: string; region: string }): S3Client {
  return new S3Client({
    endpoint: server.endpoint,
    region: credentials.region,
    credentials,
    forcePathStyle: true,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

function put(Key: string, Body = BYTES, changes: Partial<PutObjectCommand['input']> = {}) {
  const ChecksumSHA256 = createHash('sha256').update(Body).digest('base64');
  return client.send(new PutObjectCommand({ Bucket, Key, Body, ChecksumSHA256, ...changes }));
}

async function get(Key: string, Range?: string): Promise<{ text: string; range: string | undefined }> {
  const { Body, ContentRange } = await client.send(
    new GetObjectCommand({ Bucket, Key, ...(Range === undefined ? {} : { Range }) }),
  );
  return { text: (await Body?.transformToString()) ?? '', range: ContentRange };
}

const list = (changes: Partial<ListObjectsV2Command['input']> = {}) =>
  client.send(new ListObjectsV2Command({ Bucket, ...changes }));

describe('an object', () => {
  it('is described as it was put, with the MD5 of its bytes as its tag', async () => {
    const ETag = `"${createHash('md5').update(BYTES).digest('hex')}"`;
    expect(await put('a')).toMatchObject({ ETag });
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'a' }));
    expect(head).toMatchObject({ ContentLength: 10, ETag, AcceptRanges: 'bytes' });
    // In whole seconds.
    expect(head.LastModified?.getTime()).toBeGreaterThanOrEqual(BEGAN_MS - 1000);
    expect(head.LastModified?.getTime()).toBeLessThanOrEqual(Date.now());
    await expect(client.send(new HeadObjectCommand({ Bucket, Key: 'b' }))).rejects.toMatchObject({
      $metadata: { httpStatusCode: 404 },
    });
  });

  it.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=7-99', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    // A header that names no range is as none (RFC 9110, 14.2).
    ['bytes=4-2', '0123456789', undefined],
    ['lines=1-2', '0123456789', undefined],
  ])('is read by the range %s', async (range, text, contentRange) => {
    await put('a');
    expect(await get('a', range)).toEqual({ text, range: contentRange });
  });

  it.each(['bytes=10-', 'bytes=10-12', 'bytes=-0'])('has no range %s', async (range) => {
    await put('a');
    await expect(get('a', range)).rejects.toMatchObject({ name: 'InvalidRange' });
  });

  it('may be empty, and then has no range at all', async () => {
    await put('a', Buffer.alloc(0));
    expect(await get('a')).toEqual({ text: '', range: undefined });
    await expect(get('a', 'bytes=0-0')).rejects.toMatchObject({ name: 'InvalidRange' });
  });

  it('is replaced without a condition, and kept with one', async () => {
    await put('a', BYTES, { IfNoneMatch: '*' });
    await expect(put('a', Buffer.from('x'), { IfNoneMatch: '*' })).rejects.toMatchObject({
      name: 'PreconditionFailed',
      $metadata: { httpStatusCode: 412 },
    });
    expect((await get('a')).text).toBe('0123456789');
    await put('a', Buffer.from('x'));
    expect((await get('a')).text).toBe('x');
  });

  it('is written by exactly one of many conditional puts', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => put('a', Buffer.from(`${index}`), { IfNoneMatch: '*' })),
    );
    const winners = outcomes.flatMap((outcome, index) => (outcome.status === 'fulfilled' ? [index] : []));
    expect(winners).toHaveLength(1);
    expect((await get('a')).text).toBe(`${winners[0]}`);
  });

  it('is refused when its checksum is that of other bytes', async () => {
    const ChecksumSHA256 = createHash('sha256').update('other').digest('base64');
    await expect(put('a', BYTES, { ChecksumSHA256 })).rejects.toMatchObject({ name: 'BadDigest' });
    expect(server.objects.size).toBe(0);
  });

  it.each([...['a/b', 'a/../b', './a', 'a b+c', 'ä/日本', 'a%2Fb', `<&>'"`, 'A', `${'long/'.repeat(200)}x`]])(
    'has the key %s, whatever else has',
    async (key) => {
      await put('a', Buffer.from('another'));
      await put(key, Buffer.from('its own'));
      expect((await get(key)).text).toBe('its own');
      expect((await get('a')).text).toBe('another');
      expect((await list()).Contents?.map((entry) => entry.Key)).toContain(key);
    },
  );

  it('has no key of more than 1,024 bytes', async () => {
    await expect(put('ä'.repeat(513))).rejects.toMatchObject({ name: 'KeyTooLongError' });
  });
});

describe('a deletion', () => {
  it('removes the object, and is no error when there is none', async () => {
    await put('a');
    for (let time = 0; time < 2; time += 1) {
      const answer = await client.send(new DeleteObjectCommand({ Bucket, Key: 'a' }));
      expect(answer.$metadata.httpStatusCode).toBe(204);
    }
    await expect(get('a')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('removes many at once, with names of every kind', async () => {
    const keys = ['a', `<&>'"`, 'a/b', 'not there'];
    for (const key of ['a', `<&>'"`, 'a/b', 'kept']) await put(key);
    const Objects = keys.map((Key) => ({ Key }));
    const { Deleted } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Deleted?.map((entry) => entry.Key)).toEqual(keys);
    expect(server.objects.keys()).toEqual(['kept']);
    const quiet = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'kept' }], Quiet: true } }),
    );
    expect(quiet.Deleted ?? []).toEqual([]);
    expect(server.objects.size).toBe(0);
  });
});

describe('a list', () => {
  it('has every key of a prefix once, in the order of its bytes, page by page', async () => {
    const keys = Array.from({ length: 130 }, (_, index) => `p/${index}`).sort();
    for (const key of [...keys, 'o', 'q']) server.objects.set(key, BYTES);
    const pages: string[][] = [];
    let token: string | undefined;
    do {
      const page = await list({ Prefix: 'p/', ...(token === undefined ? {} : { ContinuationToken: token }) });
      pages.push((page.Contents ?? []).flatMap((entry) => entry.Key ?? []));
      expect(page.KeyCount).toBe(pages.at(-1)?.length);
      expect(page.IsTruncated).toBe(page.NextContinuationToken !== undefined);
      token = page.NextContinuationToken;
    } while (token !== undefined);
    expect(pages.map((page) => page.length)).toEqual([50, 50, 30]);
    expect(pages.flat()).toEqual(keys);
  });

  it('goes on where it was although keys came and went', async () => {
    for (const key of ['a', 'b', 'c', 'd']) server.objects.set(key, BYTES);
    const first = await list({ MaxKeys: 2 });
    server.objects.delete('b');
    server.objects.set('aa', BYTES);
    server.objects.set('bb', BYTES);
    const second = await list({ ContinuationToken: first.NextContinuationToken });
    expect(second.Contents?.map((entry) => entry.Key)).toEqual(['bb', 'c', 'd']);
  });

  it('begins after a key and folds what has a delimiter', async () => {
    for (const key of ['a', 'b/1', 'b/2', 'c', 'd/1']) server.objects.set(key, BYTES);
    const folded = await list({ Delimiter: '/', StartAfter: 'a', MaxKeys: 2 });
    expect(folded.CommonPrefixes?.map((entry) => entry.Prefix)).toEqual(['b/']);
    expect(folded.Contents?.map((entry) => entry.Key)).toEqual(['c']);
    const rest = await list({ Delimiter: '/', ContinuationToken: folded.NextContinuationToken });
    expect(rest.CommonPrefixes?.map((entry) => entry.Prefix)).toEqual(['d/']);
    expect(rest.Contents ?? []).toEqual([]);
  });

  it('tells size and tag, and refuses a token that it did not give', async () => {
    const { ETag } = await put('a');
    expect((await list()).Contents).toMatchObject([{ Key: 'a', Size: 10, ETag }]);
    await expect(list({ ContinuationToken: 'another' })).rejects.toMatchObject({ name: 'InvalidArgument' });
  });
});

describe('a request', () => {
  it.each([
    ['an unknown key', { accessKeyId: 'OTHER' }, 'InvalidAccessKeyId'],
    ['another secret', { secretAccessKey: 'other' }, 'SignatureDoesNotMatch'],
    ['another region', { region: 'eu-elsewhere-1' }, 'AuthorizationHeaderMalformed'],
  ])('with %s is refused', async (_what, changes, name) => {
    client = openClient({ ...server.credentials, ...changes });
    await expect(put('a')).rejects.toMatchObject({ name });
    expect(server.objects.size).toBe(0);
  });

  it('of another bucket is refused', async () => {
    const other = new ListObjectsV2Command({ Bucket: 'another-bucket' });
    await expect(client.send(other)).rejects.toMatchObject({ name: 'NoSuchBucket' });
  });

  it('with a condition that is not implemented is refused instead of being served without it', async () => {
    await put('a');
    const conditional = new GetObjectCommand({ Bucket, Key: 'a', IfMatch: '"other"' });
    await expect(client.send(conditional)).rejects.toMatchObject({ name: 'NotImplemented' });
  });
});

/** From "Signature calculations: examples" of the API reference; every byte is part of the example. */
describe('the examples of signatures that Amazon publishes', () => {
  const KNOWN = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  };
  const AT_MS = Date.parse('2013-05-24T00:00:00Z');
  const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const EXAMPLES = [
    {
      target: '/test.txt',
      headers: { range: 'bytes=0-9' },
      signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    },
    {
      target: '/?lifecycle',
      headers: {},
      signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    },
    {
      target: '/?max-keys=2&prefix=J',
      headers: {},
      signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    },
  ];

  it.each(EXAMPLES)('$target is accepted, and no other', ({ target, headers, signature }) => {
    const signed = {
      host: 'examplebucket.s3.amazonaws.com',
      ...headers,
      'x-amz-content-sha256': NOTHING,
      'x-amz-date': '20130524T000000Z',
    };
    const authorization = `AWS4-HMAC-SHA256 Credential=${KNOWN.accessKeyId}/20130524/us-east-1/s3/aws4_request, SignedHeaders=${Object.keys(signed).join(';')}, Signature=${signature}`;
    const request = { method: 'GET', target, headers: { ...signed, authorization } };
    expect(signatureRefusal(request, KNOWN, AT_MS)).toBeNull();
    expect(signatureRefusal({ ...request, method: 'PUT' }, KNOWN, AT_MS)).toBe('SignatureDoesNotMatch');
    expect(signatureRefusal({ ...request, target: `${target}x` }, KNOWN, AT_MS)).toBe(
      'SignatureDoesNotMatch',
    );
    expect(signatureRefusal(request, KNOWN, AT_MS + 16 * 60_000)).toBe('RequestTimeTooSkewed');
  });
});
