import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator } from '../support/collaborators.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect } from '../support/incident-client.ts';
import { nextMail } from '../support/mailbox.ts';
import { managementClient } from '../support/management-client.ts';
import { newAddress } from '../support/people.ts';
import { reportClient } from '../support/report-client.ts';
import { EX } from './incidents-fixtures.ts';

/** A report outside its schedule (docs/contract/server-additions.md S17). */
describe('a weekly report that is sent now', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit();
  });
  afterAll(() => culprit?.stop());

  it('tells of the last seven days, once a minute, and leaves the planned one alone', async () => {
    const email = newAddress('lead');
    const client = await connect(culprit, { email, name: 'shop' });
    await client.send(EX());
    await client.only(1);
    const { memberToken } = client.project;
    const { mailChannel } = reportClient(culprit, client.project);
    const { channel_id: id } = await mailChannel();
    const planned = await plans(id);
    const owner = managementClient(culprit, memberToken);
    const answer = await owner.post(`/v1/weekly-report-channels/${id}/send`);
    expect(answer).toMatchObject({ status: 200, body: { report: { from: DATE, to: DATE } } });
    const mail = await nextMail(culprit.mailDirectory, email, 0, 'Weekly report: shop');
    expect(mail.text).toMatch(/New incidents\W+1\b/i);
    expect(await plans(id)).toEqual(planned);
    const again = await owner.post(`/v1/weekly-report-channels/${id}/send`);
    expectProblem(again, 429, 'rate_limited');
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is for admins, and for a channel that is switched on', async () => {
    const project = await culprit.createProject();
    const { mailChannel, update } = reportClient(culprit, project);
    const { channel_id: id } = await mailChannel();
    const member = await createCollaborator(culprit, project, 'member');
    const path = `/v1/weekly-report-channels/${id}/send`;
    expectProblem(await managementClient(culprit, member.memberToken).post(path), 403, 'forbidden');
    const owner = managementClient(culprit, project.memberToken);
    await update(id, { is_enabled: false });
    expectProblem(await owner.post(path), 409, 'weekly_report_channel_disabled');
    await update(id, { is_enabled: true });
    // A quiet week is told of too, where somebody asks.
    expect(await owner.post(path)).toMatchObject({ status: 200 });
  });

  async function plans(channelId: string): Promise<unknown[]> {
    return await culprit.database.query(
      {
        name: 'test-report-slots',
        text: 'select week::text from weekly_reports where channel_id = $1',
      },
      [channelId],
    );
  }
});

const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
