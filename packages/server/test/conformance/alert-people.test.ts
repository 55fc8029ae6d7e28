import { DELETION_PHRASE } from '@culprit/contract/workspace/account';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertClient } from '../support/alert-client.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { clientOf } from '../support/incident-client.ts';
import { codeIn, mailsTo, nextMail } from '../support/mailbox.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { join, newAddress, type Person, signInAs } from '../support/people.ts';
import { EX, SECOND } from './incidents-fixtures.ts';

const HOOK = { channel: 'webhook', config: { target_url: 'https://hooks.example.com/x' } };

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit({ retryScale: 0.02 });
});
afterAll(() => culprit.stop());

async function team() {
  const email = newAddress('owner');
  const project = await culprit.createProject({ email, name: 'shop' });
  const owner = await signInAs(culprit, email);
  const carol = await join(culprit, owner, project.projectId, 'member');
  return { project, owner, carol, alerts: alertClient(culprit, project) };
}

/** Ids of the project's rules, as a person sees them. */
async function rules(person: Person, projectId: string): Promise<string[]> {
  const { body } = await person.request('GET', `/v1/alerts?project_id=${projectId}`);
  const alerts = isJsonObject(body) && Array.isArray(body.alerts) ? body.alerts : [];
  return alerts.flatMap((alert) => (isJsonObject(alert) ? String(alert.alert_id) : [])).sort();
}

describe('who may use alert rules', () => {
  // N-14
  it('a deleted rule is gone', async () => {
    const { project, alerts } = await team();
    const api = managementClient(culprit, project.memberToken);
    const { alert_id } = await alerts.create(HOOK);
    const deleted = await api.delete(`/v1/alerts/${alert_id}`);
    expect([deleted.status, deleted.body]).toEqual([204, null]);
    expectProblem(await api.delete(`/v1/alerts/${alert_id}`), 404, 'alert_not_found');
    expectProblem(await api.patch(`/v1/alerts/${alert_id}`, { is_enabled: true }), 404, 'alert_not_found');
    expectProblem(await api.delete('/v1/alerts/a%20b'), 400, 'invalid_alert_id');
  });

  // N-15
  it('every member, and not its creator alone', async () => {
    const { project, carol, alerts } = await team();
    const { alert_id } = await alerts.create(HOOK);
    const bare = alert_id.replace('alt_', '');
    const changed = await carol.request('PATCH', `/v1/alerts/${bare}`, { cooldown_seconds: 5 });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ alert: { alert_id, created_by_user_id: project.userId } });
    expect((await carol.request('DELETE', `/v1/alerts/${alert_id}`)).status).toBe(204);
  });

  // N-16, N-17
  it('no member of another project, and no project token', async () => {
    const { project, alerts } = await team();
    const { alert_id } = await alerts.create(HOOK);
    const stranger = managementClient(culprit, (await culprit.createProject()).memberToken);
    const list = `/v1/alerts?project_id=${project.projectId}`;
    const rule = { project_id: project.projectId, condition_type: 'new_incident', ...HOOK };
    const ask = async (api: ManagementClient) => [
      await api.get(list),
      await api.post('/v1/alerts', rule),
      await api.patch(`/v1/alerts/${alert_id}`, { is_enabled: false }),
      await api.delete(`/v1/alerts/${alert_id}`),
    ];
    const unseen = ['project_not_found', 'project_not_found', 'alert_not_found', 'alert_not_found'];
    for (const [n, answer] of (await ask(stranger)).entries()) expectProblem(answer, 404, unseen[n] ?? '');
    for (const answer of await ask(managementClient(culprit, project.projectToken))) {
      expectProblem(answer, 401, 'invalid_member_token');
    }
  });
});

describe('alert rules of people who go', () => {
  //
  it('mail to their own address ends with their membership, also if another member created the rule; everything else stays', async () => {
    const { project, owner, carol, alerts } = await team();
    const { projectId } = project;
    const create = async (body: object) => {
      const rule = { project_id: projectId, condition_type: 'new_incident', ...body };
      const answer = await carol.request('POST', '/v1/alerts', rule);
      expect(answer.status).toBe(201);
    };
    await create({ channel: 'email', config: { to: carol.email.toUpperCase() } });
    await create(HOOK);
    await create({ channel: 'email', config: { to: owner.email } });
    await alerts.create({ channel: 'email', config: { to: carol.email } });
    expect(await rules(owner, projectId)).toHaveLength(4);
    await clientOf(culprit, project).send(EX());
    const waiting = await alerts.evaluated();
    expect(waiting).toHaveLength(4);
    const left = await carol.request('DELETE', `/v1/projects/${projectId}/membership`);
    expect(left.status).toBe(200);
    expect(await rules(owner, projectId)).toHaveLength(2);
    // What was on its way to her is not sent.
    const hers = waiting[0]?.alert_id ?? '';
    await moveClock(culprit.database, 10 * SECOND);
    await alerts.reached([{ status: 'failed', last_error: 'alert_disabled' }], hers);
    await moveClock(culprit.database, 0);
    expect(await mailsTo(culprit.mailDirectory, carol.email, '[shop]')).toEqual([]);
  });

  it('the same for somebody who is removed, in this project only', async () => {
    const { project, owner, carol, alerts } = await team();
    const other = await culprit.createProject({ name: 'other' });
    const elsewhere = alertClient(culprit, other);
    await elsewhere.create({ channel: 'email', config: { to: carol.email } });
    await alerts.create({ channel: 'email', config: { to: carol.email } });
    const path = `/v1/projects/${project.projectId}/members/${carol.userId}`;
    expect((await owner.request('DELETE', path)).status).toBe(200);
    expect(await rules(owner, project.projectId)).toEqual([]);
    const id = other.projectId.replace('proj_', '');
    expect(await countRows(culprit, 'alert_rules where project_id = $1', [id])).toBe(1);
  });

  it('the same in every project for somebody who deletes their account', async () => {
    const { project, owner, carol, alerts } = await team();
    await alerts.create({ channel: 'email', config: { to: carol.email } });
    const stays = await alerts.create(HOOK);
    const own = await carol.request('POST', '/v1/projects', { name: 'own' });
    expect(own.status).toBe(201);
    const phrase = { confirmation_text: DELETION_PHRASE };
    const seen = (await mailsTo(culprit.mailDirectory, carol.email)).length;
    await carol.request('POST', '/v1/account/delete/request-otp', phrase);
    const otp = codeIn(await nextMail(culprit.mailDirectory, carol.email, seen));
    const deleted = await carol.request('DELETE', '/v1/account', { ...phrase, otp });
    expect(deleted.status).toBe(200);
    expect(await rules(owner, project.projectId)).toEqual([stays.alert_id]);
  });
});

describe('alerts in the export of an account', () => {
  it('are the rules and what became of each match', async () => {
    const { project, owner, alerts } = await team();
    const mail = await alerts.create({ channel: 'email', config: { to: owner.email }, severity_min: 'high' });
    const chat = await alerts.create({
      channel: 'slack',
      is_enabled: false,
      config: { webhook_url: 'https://hooks.example.com/services/secret' },
    });
    await clientOf(culprit, project).send(EX());
    await alerts.evaluated();
    await moveClock(culprit.database, 10 * SECOND);
    const [made] = await alerts.reached([{ status: 'delivered' }]);
    await moveClock(culprit.database, 0);
    const { body } = await owner.request('GET', '/v1/account/export');
    const incident = await clientOf(culprit, project).only();
    expect(body).toMatchObject({
      alerts: [
        {
          alert_id: mail.alert_id,
          project_id: project.projectId,
          channel: 'email',
          severity_min: 'high',
          config: { to: owner.email },
        },
        // An address of a chat is a secret.
        { alert_id: chat.alert_id, channel: 'slack', config: {} },
      ],
      alert_deliveries: [
        {
          alert_delivery_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          alert_id: mail.alert_id,
          project_id: project.projectId,
          incident_id: incident.incident_id,
          dedupe_key: 'new_incident',
          notification_key: made?.notification_key,
          channel: 'email',
          status: 'delivered',
          attempt_count: 1,
          next_attempt_at: null,
          last_error: null,
          delivered_at: expect.stringMatching(/Z$/),
        },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('services/secret');
  });

  it('what people do to rules is on the trail, without where they send to', async () => {
    const { project, alerts } = await team();
    const secret = 'https://hooks.example.com/services/secret-of-the-channel';
    const { alert_id } = await alerts.create({ channel: 'slack', config: { webhook_url: secret } });
    await alerts.update(alert_id, { is_enabled: false });
    await alerts.delete(alert_id);
    const trail = await culprit.database.query<{ action: string; data: unknown }>(
      {
        name: 'test-alert-trail',
        text: `select action, data from audit_log where subject = $1 and project_id = $2 order by audit_id`,
      },
      [`alert:${alert_id}`, project.projectId.replace('proj_', '')],
    );
    expect(trail.map(({ action }) => action)).toEqual(['alert.created', 'alert.updated', 'alert.deleted']);
    expect(JSON.stringify(trail)).not.toContain('secret-of-the-channel');
  });
});
