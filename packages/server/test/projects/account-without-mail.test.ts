import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { createSession } from '../../src/workspace/accounts/create-session.ts';
import { csrfToken } from '../../src/workspace/accounts/session-secrets.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { allMailSent, newAddress } from '../support/people.ts';
import { sendRequest } from '../support/send-events.ts';

describe('an instance that sends no mail', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  beforeAll(async () => {
    culprit = await startCulprit({ duties: [], mail: { transport: 'off' } });
    project = await culprit.createProject();
  });
  afterAll(() => culprit.stop());

  /** Nobody can sign in by mail here, so the session is made as a sign-in with GitHub makes it. */
  async function sessionHeaders(): Promise<Record<string, string>> {
    const [organization] = await culprit.database.query<{ id: string }>(
      {
        name: 'test-owned',
        text: 'select organization_id as id from organizations where owner_user_id = $1',
      },
      [project.userId],
    );
    const { sessionId, secret } = await culprit.database.transaction((transaction) =>
      createSession(transaction, {
        userId: project.userId,
        organizationId: organization?.id ?? '',
        presentedCookie: null,
      }),
    );
    return {
      cookie: `svc_session=${secret.reveal()}`,
      'x-csrf-token': csrfToken(deriveKeys(culprit.dataKey).csrf, sessionId),
    };
  }

  it('cannot mail the code that deletes an account, and says so', async () => {
    const answer = await sendRequest(`${culprit.url}/v1/account/delete/request-otp`, {
      headers: await sessionHeaders(),
      body: JSON.stringify({ confirmation_text: 'Delete my account' }),
    });
    expect(answer).toMatchObject({
      status: 503,
      body: { error: 'account_deletion_verification_unavailable' },
    });
    expect(await countRows(culprit, 'account_deletion_codes')).toBe(0);
  });

  it('still takes invites, and the mails leave no work behind', async () => {
    const answer = await sendRequest(`${culprit.url}/v1/projects/${project.projectId}/invite`, {
      token: project.memberToken,
      body: JSON.stringify({ email: newAddress() }),
    });
    expect(answer.status).toBe(201);
    await allMailSent(culprit);
    expect(await countRows(culprit, 'project_invites where accepted_at is null')).toBe(1);
  });
});
