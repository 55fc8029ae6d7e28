import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT_DATA_TABLES } from '../../src/workspace/account-data/account-data.tables.ts';
import { MEMBER_TABLES } from '../../src/workspace/members/members.tables.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { deleteExpiredRows } from '../support/expired-rows.ts';
import { moveClock } from '../support/move-clock.ts';
import { accept, invite, newAddress, type Person, signInAs } from '../support/people.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('what is forgotten of invites and deletion codes', () => {
  let culprit: TestCulprit;
  let owner: Person;
  let projectId: string;
  beforeAll(async () => {
    culprit = await startCulprit({ duties: [] });
    const email = newAddress('owner');
    ({ projectId } = await culprit.createProject({ email }));
    owner = await signInAs(culprit, email);
  });
  afterAll(() => culprit.stop());
  beforeEach(() => moveClock(culprit.database, 0));

  /** The addresses that invites are kept of at a distance from now, after the removal. */
  async function keptAfter(days: number): Promise<string[]> {
    await moveClock(culprit.database, days * DAY_MS);
    await deleteExpiredRows(culprit.database, [...MEMBER_TABLES, ...ACCOUNT_DATA_TABLES]);
    const rows = await culprit.database.query<{ email: string }>({
      name: 'test-kept-invites',
      text: 'select email from project_invites order by email',
    });
    return rows.map(({ email }) => email);
  }

  it('accepted, canceled and expired invites stay for 30 days', async () => {
    const accepted = await invite(culprit, owner, projectId, newAddress('accepted'));
    const canceled = await invite(culprit, owner, projectId, newAddress('canceled'));
    const expired = await invite(culprit, owner, projectId, newAddress('expired'));
    const person = await signInAs(culprit, accepted.invite.email);
    expect((await accept(person, accepted.token)).status).toBe(200);
    await owner.request('DELETE', `/v1/projects/${projectId}/invites/${canceled.invite.invite_id}`);
    const all = [accepted, canceled, expired].map((each) => each.invite.email);
    expect(await keptAfter(29.9)).toEqual(all);
    // The third became final a week later.
    expect(await keptAfter(30.1)).toEqual([expired.invite.email]);
    expect(await keptAfter(36.9)).toEqual([expired.invite.email]);
    expect(await keptAfter(37.1)).toEqual([]);
  });

  it('a deletion code goes once it is worth nothing and the hour of its messages is over', async () => {
    await owner.request('POST', '/v1/account/delete/request-otp', { confirmation_text: 'Delete my account' });
    await keptAfter(1 / 24);
    expect(await countRows(culprit, 'account_deletion_codes')).toBe(1);
    await keptAfter(1.2 / 24);
    expect(await countRows(culprit, 'account_deletion_codes')).toBe(0);
  });
});
