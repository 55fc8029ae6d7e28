import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIVE_TOKENS_MAX } from '../../src/workspace/tokens/token-records.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { pageOf } from '../support/read-pages.ts';
import { sendEvents } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { auditOfToken, tokenIn } from '../support/token-answers.ts';
import { EX } from './incidents-fixtures.ts';

/** docs/contract/account.md 4.4. */
describe('a token that is rotated', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  let owner: ManagementClient;
  let path: string;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function freshProject(): Promise<void> {
    project = await culprit.createProject();
    owner = managementClient(culprit, project.memberToken);
    path = `/v1/projects/${project.projectId}/tokens`;
  }
  beforeAll(freshProject);

  async function made(at: string, body: object): Promise<{ id: string; secret: string }> {
    const { token_id, plaintext } = tokenIn((await owner.post(at, body)).body);
    return { id: String(token_id), secret: String(plaintext) };
  }

  async function statusOf(secret: string): Promise<number> {
    return (await sendEvents(culprit.url, secret, [EX()], { origin: 'https://shop.example' })).status;
  }

  const listed = async (at: string, id: string) =>
    pageOf(await owner.get(at), 'tokens').items.find(({ token_id }) => token_id === id);

  /** The time of its end comes. */
  async function endComes(id: string): Promise<void> {
    const rows = await culprit.database.query(
      {
        name: 'test-token-end-comes',
        text: `update jobs set run_at = culprit_now() where kind = 'tokens.retire' and key = $1 returning job_id`,
      },
      [id.replace('tok_', '')],
    );
    expect(rows).toHaveLength(1);
  }

  it('works beside the new one for a day, says when it ends, and then is refused', async () => {
    const old = await made(path, { label: 'shop', allowed_origins: ['https://shop.example'] });
    const answer = await owner.post(`${path}/${old.id}/rotate`, {});
    expect(answer.status).toBe(201);
    const token = tokenIn(answer.body);
    expect(token).toMatchObject({
      label: 'shop',
      allowed_origins: ['https://shop.example'],
      expires_at: null,
    });
    const replaced = await listed(path, old.id);
    expect(answer.body).toEqual({ token, replaced });
    expect(replaced).not.toHaveProperty('plaintext');
    const lasts = Date.parse(String(replaced?.expires_at)) - Date.parse(String(token.created_at));
    expect(Math.round(lasts / 60_000)).toBe(24 * 60);
    expect([await statusOf(old.secret), await statusOf(String(token.plaintext))]).toEqual([202, 202]);
    await endComes(old.id);
    await eventually(async () => expect(await statusOf(old.secret)).toBe(401));
    expect(await statusOf(String(token.plaintext))).toBe(202);
    expect(await listed(path, old.id)).toMatchObject({ revoked_at: expect.any(String), expires_at: null });
    expect(await auditOfToken(culprit, String(token.token_id))).toMatchObject([
      { action: 'project_token.rotated', data: { replaced: old.id, overlap_hours: 24 } },
    ]);
  });

  it('without an overlap is refused with the next request, and makes room for the new one', async () => {
    await freshProject();
    const first = pageOf(await owner.get(path), 'tokens').items.length;
    let last = { id: '', secret: '' };
    for (let live = first; live < LIVE_TOKENS_MAX; live += 1) last = await made(path, { label: `t${live}` });
    expect((await owner.post(`${path}/${last.id}/rotate`, {})).body).toEqual({
      error: 'resource_limit_reached',
    });
    expect((await listed(path, last.id))?.expires_at).toBeNull();
    const answer = await owner.post(`${path}/${last.id}/rotate`, { overlap_hours: 0 });
    expect([answer.status, await statusOf(last.secret)]).toEqual([201, 401]);
    expect((await owner.post(`${path}/${last.id}/rotate`, {})).body).toEqual({ error: 'token_not_found' });
  });

  it('has its end moved forward by another rotation, and never back', async () => {
    await freshProject();
    const old = await made(path, { label: 'twice' });
    const endAfter = async (hours: number): Promise<unknown> => {
      await owner.post(`${path}/${old.id}/rotate`, { overlap_hours: hours });
      return (await listed(path, old.id))?.expires_at;
    };
    const first = await endAfter(24);
    expect(await endAfter(48)).toBe(first);
    expect(Date.parse(String(await endAfter(1)))).toBeLessThan(Date.parse(String(first)));
  });

  it('of a person keeps its access, and can be the one in use', async () => {
    const at = '/v1/member/tokens';
    const old = await made(at, { label: 'ci', access: 'full' });
    const ci = managementClient(culprit, old.secret);
    const answer = await ci.post(`${at}/${old.id}/rotate`, { overlap_hours: 1 });
    expect(tokenIn(answer.body)).toMatchObject({ label: 'ci', access: 'full', is_current: false });
    expect(answer.body).toMatchObject({ replaced: { is_current: true, expires_at: expect.any(String) } });
    expect((await ci.get(at)).status).toBe(200);
    await endComes(old.id);
    await eventually(async () => expect((await ci.get(at)).status).toBe(401));
    expect((await managementClient(culprit, String(tokenIn(answer.body).plaintext)).get(at)).status).toBe(
      200,
    );
    const reader = await made(at, { label: 'agent', access: 'read' });
    expect(tokenIn((await owner.post(`${at}/${reader.id}/rotate`, {})).body).access).toBe('read');
  });
});
