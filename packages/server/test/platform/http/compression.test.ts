import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { api } from '@culprit/contract/endpoints/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isCompressible } from '../../../src/platform/http/server/compress-answer.ts';
import type { TestCulprit, TestProject } from '../../support/culprit.ts';
import { managementClient } from '../../support/management-client.ts';
import { shareCulprit } from '../../support/shared-culprit.ts';

/** Compression of JSON answers (docs/contract/server-additions.md S27). */
describe('a JSON answer', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  beforeAll(async () => {
    culprit = await shareCulprit();
    project = await culprit.createProject();
    const owner = managementClient(culprit, project.memberToken);
    for (let n = 0; n < 12; n += 1)
      await owner.createProjectToken(project.projectId, { label: `token ${n}` });
  });
  afterAll(() => culprit.stop());

  /** The bytes as they travel: `fetch` would undo the encoding. */
  async function ask(path: string, acceptEncoding: string | null) {
    const headers = {
      authorization: `Bearer ${project.memberToken}`,
      ...(acceptEncoding === null ? {} : { 'accept-encoding': acceptEncoding }),
    };
    return await new Promise<{ headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
      const sent = request(culprit.url + path, { headers }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ headers: response.headers, bytes: Buffer.concat(chunks) });
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  const list = () => `/v1/projects/${project.projectId}/tokens`;

  it.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip;q=0.5, br;q=0', gunzipSync],
  ])('over 2 KB is compressed as %s for who accepts %s', async (encoding, accepted, decode) => {
    const plain = await ask(list(), null);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.bytes.length).toBeGreaterThan(2048);
    const compressed = await ask(list(), accepted);
    expect(compressed.headers['content-encoding']).toBe(encoding);
    expect(compressed.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(compressed.headers.vary).toContain('accept-encoding');
    expect(compressed.headers['content-length']).toBe(String(compressed.bytes.length));
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    const tokens = (bytes: Buffer) => JSON.parse(bytes.toString('utf8')).tokens.length;
    expect(tokens(decode(compressed.bytes))).toBe(tokens(plain.bytes));
  });

  it.each([
    ['for who accepts nothing of ours', () => list(), 'deflate, zstd'],
    ['for who refuses it', () => list(), 'br;q=0, gzip;q=0'],
    ['when it is short', () => `/v1/projects/${project.projectId}`, 'br'],
  ])('stays as it is %s', async (_, path, accepted) => {
    const { headers, bytes } = await ask(path(), accepted);
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(bytes.toString('utf8'))).toBeTypeOf('object');
  });

  it('stays as it is where it holds a secret, belongs to sign-in, or answers a library', () => {
    const plain = api.filter((endpoint) => !isCompressible(endpoint)).map(({ id }) => id);
    expect(plain).toEqual(
      expect.arrayContaining([
        'postEvents',
        'getSdkConfig',
        'createMemberToken',
        'createProjectToken',
        'createWebhook',
        'activateProbe',
        'getSlackInstallUrl',
        'getSession',
        'verifySignInCode',
        'exchangeGithubToken',
      ]),
    );
    expect(plain).not.toContain('listIncidents');
    expect(plain).not.toContain('getIncidentBundle');
  });
});
