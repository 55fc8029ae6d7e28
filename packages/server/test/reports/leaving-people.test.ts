import { DELETION_PHRASE } from '@culprit/contract/workspace/account';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { codeIn, mailsTo, nextMail } from '../support/mailbox.ts';
import { join, newAddress, type Person, signInAs } from '../support/people.ts';
import { reportClient } from '../support/report-client.ts';

let culprit: TestCulprit;
let project: TestProject;
let owner: Person;
beforeAll(async () => {
  culprit = await startCulprit({ duties: [] });
  const email = newAddress('owner');
  project = await culprit.createProject({ email });
  owner = await signInAs(culprit, email);
});
afterAll(() => culprit.stop());

/** Has the reports go to these addresses. */
async function reportTo(of: TestProject, ...to: string[]): Promise<void> {
  const reports = reportClient(culprit, of);
  await reports.update((await reports.mailChannel()).channel_id, { config: { to } });
}

/** Where the reports go: an empty list when no mail channel is left. */
async function recipients(of: TestProject): Promise<unknown> {
  return (await reportClient(culprit, of).list()).map(({ config }) => config);
}

describe('people who leave', () => {
  it('get no more reports of that project, and others still do', async () => {
    const leaver = await join(culprit, owner, project.projectId, 'member');
    const removed = await join(culprit, owner, project.projectId, 'admin');
    const other = await culprit.createProject({ email: owner.email, name: 'other' });
    await reportTo(project, leaver.email, owner.email, removed.email);
    await reportTo(other, leaver.email);
    expect((await leaver.request('DELETE', `/v1/projects/${project.projectId}/membership`)).status).toBe(200);
    expect(await recipients(project)).toEqual([{ to: [owner.email, removed.email] }]);
    const path = `/v1/projects/${project.projectId}/members/${removed.userId}`;
    expect((await owner.request('DELETE', path)).status).toBe(200);
    expect(await recipients(project)).toEqual([{ to: [owner.email] }]);
    expect(await recipients(other)).toEqual([{ to: [leaver.email] }]);
  });

  it('take a channel with them that nobody else is on', async () => {
    const leaver = await join(culprit, owner, project.projectId, 'member');
    await reportTo(project, leaver.email);
    expect((await leaver.request('DELETE', `/v1/projects/${project.projectId}/membership`)).status).toBe(200);
    expect(await recipients(project)).toEqual([]);
  });

  it('are taken off everywhere when their account is deleted', async () => {
    const second = await culprit.createProject({ email: owner.email, name: 'second' });
    const third = await culprit.createProject({ email: owner.email, name: 'third' });
    const leaver = await join(culprit, owner, second.projectId, 'member');
    await leaver.request('POST', '/v1/projects', { name: 'of their own' });
    await reportTo(second, leaver.email, owner.email);
    // Also where they have no place.
    await reportTo(third, leaver.email);
    const seen = (await mailsTo(culprit.mailDirectory, leaver.email, 'Code')).length;
    await leaver.request('POST', '/v1/account/delete/request-otp', { confirmation_text: DELETION_PHRASE });
    const otp = codeIn(await nextMail(culprit.mailDirectory, leaver.email, seen, 'Code'));
    const deleted = await leaver.request('DELETE', '/v1/account', {
      confirmation_text: DELETION_PHRASE,
      otp,
    });
    expect(deleted.status).toBe(200);
    expect(await recipients(second)).toEqual([{ to: [owner.email] }]);
    expect(await recipients(third)).toEqual([]);
  });
});
