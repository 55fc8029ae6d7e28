import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { LIVE_TOKENS_MAX } from '../../src/workspace/tokens/token-records.ts';
import { createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { tablesWith } from '../support/tables-with.ts';
import { auditOfToken, tokenIn } from '../support/token-answers.ts';

/** docs/contract/account.md 4 and 1.6, the person's own tokens. */
describe('tokens of a person', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  let owner: ManagementClient;
  beforeAll(async () => {
    culprit = await shareCulprit();
    await freshProject();
  });
  afterAll(() => culprit.stop());

  async function freshProject(): Promise<void> {
    project = await culprit.createProject();
    owner = managementClient(culprit, project.memberToken);
  }

  //
  it('a member token is shown once, names person and organization, and can revoke itself', async () => {
    const answer = await owner.post('/v1/member/tokens', { label: 'ci' });
    const { organization_id } = await owner.readProject(project.projectId);
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        token: {
          token_id: expect.stringMatching(/^tok_/),
          user_id: project.userId,
          organization_id,
          label: 'ci',
          access: 'full',
          is_current: false,
          token_preview: expect.stringMatching(/^svc_\.\.\.[0-9A-Za-z]{4}$/),
          plaintext: expect.stringMatching(/^svc_mem_[0-9A-Za-z]{43}$/),
          created_at: expect.any(String),
          last_used_at: null,
          revoked_at: null,
          expires_at: null,
        },
      },
    ]);
    const { plaintext, token_id } = tokenIn(answer.body);
    const own = managementClient(culprit, String(plaintext));
    expect((await own.listMemberTokens()).find((token) => token.token_id === token_id)).toMatchObject({
      last_used_at: expect.any(String),
      is_current: true,
    });
    const revoked = await own.post(`/v1/member/tokens/${token_id}/revoke`);
    expect(revoked.status).toBe(200);
    const next = await own.get('/v1/member/tokens');
    expect([next.status, next.body]).toEqual([401, { error: 'invalid_member_token' }]);
    const again = await owner.post(`/v1/member/tokens/${token_id}/revoke`);
    const { token } = revoked.body as { token: object };
    expect(token).toMatchObject({ is_current: true });
    expect([again.status, again.body]).toEqual([200, { token: { ...token, is_current: false } }]);
    expect(await tablesWith(culprit, String(plaintext))).toEqual([]);
    expect(await auditOfToken(culprit, String(token_id))).toMatchObject([
      { action: 'member_token.created', actor_user_id: project.userId },
      { action: 'member_token.revoked', actor_user_id: project.userId },
    ]);
  });

  //
  it("another person's token is unknown, in lists and by its id", async () => {
    const other = managementClient(culprit, (await culprit.createProject()).memberToken);
    const { token_id } = await owner.createMemberToken();
    expect((await other.listMemberTokens()).map((token) => token.token_id)).not.toContain(token_id);
    for (const id of [token_id, newUuid(), 'x']) {
      const answer = await other.post(`/v1/member/tokens/${id}/revoke`);
      expect([answer.status, answer.body]).toEqual([404, { error: 'token_not_found' }]);
    }
    expect((await owner.listMemberTokens()).find((token) => token.token_id === token_id)).toMatchObject({
      revoked_at: null,
    });
  });

  it('somebody who came by invite gets tokens that name the organization they joined', async () => {
    const person = await createCollaborator(culprit, project, 'member');
    const token = await managementClient(culprit, person.memberToken).createMemberToken();
    expect(token).toMatchObject({
      user_id: person.userId,
      organization_id: (await owner.readProject(project.projectId)).organization_id,
    });
  });

  it('an address that is not verified makes no token', async () => {
    const person = await createCollaborator(culprit, project, 'member');
    const unverify = {
      name: 'test-unverify',
      text: 'update users set email_verified_at = null where user_id = $1',
    };
    await culprit.database.query(unverify, [person.userId]);
    const answer = await managementClient(culprit, person.memberToken).post('/v1/member/tokens', {
      label: 'x',
    });
    expect([answer.status, answer.body]).toEqual([403, { error: 'email_verification_required' }]);
  });

  it('a person holds 50 live tokens and no more, also when many are asked for at once', async () => {
    await freshProject();
    const answers = await Promise.all(
      Array.from({ length: LIVE_TOKENS_MAX + 3 }, () => owner.post('/v1/member/tokens', { label: 'x' })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 4 }, () => [409, { error: 'resource_limit_reached' }]),
    );
    const live = (await owner.listMemberTokens()).filter(({ revoked_at }) => revoked_at === null);
    expect(live).toHaveLength(LIVE_TOKENS_MAX);
  });

  it('with the access read sees everything and changes nothing, but asks for suggestions', async () => {
    await freshProject();
    const { plaintext, token_id, access } = await owner.createMemberToken('agent', 'read');
    expect(access).toBe('read');
    const reader = managementClient(culprit, plaintext);
    expect((await reader.listMemberTokens()).filter(({ is_current }) => is_current)).toMatchObject([
      { token_id, access: 'read', label: 'agent' },
    ]);
    expect((await reader.readProject(project.projectId)).project_id).toBe(project.projectId);
    for (const [method, path, body] of [
      ['POST', '/v1/member/tokens', { label: 'more' }],
      ['POST', `/v1/member/tokens/${token_id}/revoke`, undefined],
      ['PATCH', `/v1/projects/${project.projectId}`, { name: 'renamed' }],
      ['DELETE', `/v1/projects/${project.projectId}`, undefined],
      ['POST', `/v1/incidents/${newUuid()}/resolve`, undefined],
    ] as const) {
      const answer = await sendRequest(culprit.url + path, {
        method,
        token: plaintext,
        json: body,
      });
      expect([method, path, answer.status, answer.body]).toEqual([method, path, 403, { error: 'forbidden' }]);
    }
    const suggestions = await reader.post(`/v1/incidents/${newUuid()}/capture-rule-suggestion`);
    expect([suggestions.status, suggestions.body]).toEqual([404, { error: 'incident_not_found' }]);
    expect((await owner.readProject(project.projectId)).name).toBe(project.name);
  });
});
