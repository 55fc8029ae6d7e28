import { previewCapture } from '@culprit/contract/capture/capture-preview';
import { createClient } from '@culprit/contract/endpoints/client';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { ruleClient } from '../support/rule-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX, LOG, REQ } from './incidents-fixtures.ts';

/** What a change of capture would do (docs/contract/server-additions.md S13). */
describe.concurrent('the preview of a change of capture', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function call(project: TestProject, body: BodyOf<typeof previewCapture>) {
    const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
    return await api.call(previewCapture, { params: { id: project.projectId }, body });
  }

  async function preview(project: TestProject, body: BodyOf<typeof previewCapture>) {
    const answer = await call(project, body);
    if (!answer.ok) throw new Error(answer.error);
    return answer.body;
  }

  it('counts what a rule would keep out, and names the incidents that would be gone', async () => {
    const client = await connect(culprit);
    const { project } = client;
    await client.send(EX(), EX(), EX({ service: { name: 'mailer' } }), LOG('error', 'disk full'), REQ());
    await client.processed();
    const mailer = (await client.list()).find(({ service_name: name }) => name === 'mailer');
    const rule = { name: 'quiet', action: 'drop' as const, matcher: { services: ['mailer'] } };
    const answer = await preview(project, { rule, hours: 1 });
    expect(answer).toMatchObject({
      events_seen: 5,
      incidents_hidden: [{ incident_id: mailer?.incident_id, title: mailer?.title, events: 1 }],
      regressions_hidden: 0,
      is_complete: true,
    });
    expect(answer.after.dropped).toBe(1);
    expect(answer.before.incident - answer.after.incident).toBe(1);
    expect(answer.samples).toMatchObject([{ event_type: 'backend_exception' }]);
    const sum = (counts: object) => Object.values(counts).reduce((a: number, b: number) => a + b, 0);
    expect([sum(answer.before), sum(answer.after)]).toEqual([5, 5]);
    const demoted = await preview(project, { rule: { ...rule, action: 'demote' }, hours: 1 });
    expect(demoted.after).toMatchObject({ demoted: 1, dropped: 0 });
    expect(await ruleClient(culprit.url, project).list()).toEqual([]);
  });

  it('finds by a fingerprint what an incident is made of, and keeps those with other events', async () => {
    const client = await connect(culprit);
    const { project } = client;
    await client.send(EX(), EX());
    const incident = await client.only(2);
    const matcher = {
      fingerprint: { version: incident.fingerprint_version, value: incident.fingerprint },
    };
    const all = await preview(project, { rule: { name: 'all', action: 'drop', matcher }, hours: 1 });
    expect(all.incidents_hidden).toMatchObject([{ incident_id: incident.incident_id, events: 2 }]);
    const none = await preview(project, {
      rule: { name: 'none', action: 'sample', matcher, sample_rate: 1, sample_event_class: 'preserve' },
      hours: 1,
    });
    expect(none).toMatchObject({ incidents_hidden: [], samples: [] });
    expect(none.after).toEqual(none.before);
  });

  it('counts what another policy would refuse', async () => {
    const client = await connect(culprit);
    await client.send(LOG('error', 'disk full'), EX());
    await client.processed();
    const answer = await preview(client.project, { policy: { capture_logs: 'off' }, hours: 1 });
    expect(answer.after.rejected).toBe(1);
    expect(answer.before.rejected).toBe(0);
  });

  it('is refused to plain members, without a change, and for a rule that contradicts itself', async () => {
    const project = await culprit.createProject();
    const { memberToken } = await createCollaborator(culprit, project, 'member');
    const body = { policy: { capture_logs: 'off' as const }, hours: 1 };
    expect(await call({ ...project, memberToken }, body)).toMatchObject({ status: 403, error: 'forbidden' });
    expect(await call(project, { hours: 1 })).toMatchObject({ status: 400, error: 'invalid_payload' });
    const broken = { name: 'x', action: 'sample' as const, matcher: { services: ['a'] } };
    expect(await call(project, { rule: broken, hours: 1 })).toMatchObject({ error: 'invalid_payload' });
  });
});
