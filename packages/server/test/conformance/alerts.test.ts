import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { type AlertClient, alertClient } from '../support/alert-client.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { clientOf } from '../support/incident-client.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX } from './incidents-fixtures.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const MAIL = { channel: 'email', config: { to: 'oncall@example.test' } };

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

interface Owner {
  project: TestProject;
  api: ManagementClient;
  alerts: AlertClient;
  /** N-01, with changes. */
  body(change?: JsonObject): JsonObject;
}

async function newOwner(): Promise<Owner> {
  const project = await culprit.createProject();
  return {
    project,
    api: managementClient(culprit, project.memberToken),
    alerts: alertClient(culprit, project),
    body: (change = {}) => ({
      project_id: project.projectId,
      condition_type: 'new_incident',
      ...MAIL,
      ...change,
    }),
  };
}

describe('creating alert rules', () => {
  // N-01
  it('an email rule', async () => {
    const { api, body, project } = await newOwner();
    const answer = await api.post('/v1/alerts', body());
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      alert: {
        alert_id: expect.stringMatching(new RegExp(`^alt_${UUID}$`)),
        project_id: project.projectId,
        created_by_user_id: project.userId,
        name: null,
        service_id: null,
        services: null,
        environments: null,
        query: null,
        channel: 'email',
        condition_type: 'new_incident',
        severity_min: null,
        severity_lifecycle_scope: null,
        threshold_count: null,
        window_minutes: null,
        threshold_users: null,
        cooldown_seconds: 0,
        config: { to: 'oncall@example.test' },
        is_enabled: true,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    });
  });

  // N-02, N-03
  it('the scope is both for a threshold, and null for everything else', async () => {
    const { alerts } = await newOwner();
    const threshold = { ...MAIL, condition_type: 'severity_threshold', severity_min: 'medium' };
    expect((await alerts.create(threshold)).severity_lifecycle_scope).toBe('both');
    expect(
      (await alerts.create({ ...threshold, severity_lifecycle_scope: 'incident_regressed' }))
        .severity_lifecycle_scope,
    ).toBe('incident_regressed');
    const spike = { ...MAIL, condition_type: 'error_spike', severity_lifecycle_scope: 'both' };
    expect((await alerts.create(spike)).severity_lifecycle_scope).toBeNull();
  });

  // N-04 to N-07
  it('what is not a rule is refused', async () => {
    const { api, body } = await newOwner();
    const hook = 'https://hooks.example.com/x';
    const refused: JsonObject[] = [
      { config: { to: ['a@example.test', 'b@example.test'] } },
      { config: { to: 'a@example.test, b@example.test' } },
      { config: { to: 'Somebody <a@example.test>' } },
      { config: { to: `${'a'.repeat(250)}@example.test` } },
      { config: {} },
      { config: null },
      { config: { to: 'a@example.test', target_url: hook } },
      { channel: 'discord', config: { target_url: hook } },
      { channel: 'webhook', config: { webhook_url: hook } },
      { channel: 'webhook', config: { target_url: 'nowhere' } },
      { channel: 'webhook', config: { target_url: `${hook}?${'x'.repeat(2000)}` } },
      { channel: 'slack', config: { webhook_url: hook, slack_destination_id: newUuid() } },
      { channel: 'teams', config: { target_url: hook } },
      { channel: 'mattermost', config: { webhook_url: hook, token: 'x' } },
      { channel: 'ntfy', config: { target_url: 'https://ntfy.example.com/' } },
      { channel: 'ntfy', config: { target_url: 'https://ntfy.example.com/topic', token: 'with a blank' } },
      { channel: 'pagerduty', config: { target_url: 'https://events.eu.pagerduty.com' } },
      { channel: 'pagerduty', config: { token: 'a', chat_id: '1' } },
      { channel: 'telegram', config: { token: '1:a' } },
      { channel: 'telegram', config: { chat_id: '1' } },
      { channel: 'telegram', config: { token: '***ab:c', chat_id: '1' } },
      { channel: 'telegram', config: { token: '1:a', chat_id: 'the team' } },
      { channel: 'telegram', config: { token: '1:a', chat_id: '1', thread_id: 0 } },
      { channel: 'template', config: { target_url: hook } },
      { channel: 'template', config: { target_url: hook, body: 'text' } },
      { channel: 'template', config: { target_url: hook, body: '{"a":"{{secret}}"}' } },
      { channel: 'pager', config: { to: 'a@example.test' } },
      { condition_type: 'bundle_created' },
      { severity_min: 'urgent' },
      { severity_lifecycle_scope: 'error_spike' },
      { mute: true },
      { cooldown_seconds: 604_801 },
      { cooldown_seconds: -1 },
      { cooldown_seconds: 1.5 },
      { cooldown_seconds: null },
      { is_enabled: 'yes' },
    ];
    for (const change of refused) {
      expectProblem(await api.post('/v1/alerts', body(change)), 400, 'invalid_payload');
    }
    const accepted = await api.post('/v1/alerts', body({ cooldown_seconds: 604_800 }));
    expect(accepted.status).toBe(201);
  });

  it('a service is one of the project', async () => {
    const { api, alerts, body, project } = await newOwner();
    const client = clientOf(culprit, project);
    await client.send(EX());
    const { service_id } = await client.only();
    expect((await alerts.create({ ...MAIL, service_id })).service_id).toBe(service_id);
    const stranger = await newOwner();
    for (const unknown of [newUuid(), 'nothing']) {
      const answer = await api.post('/v1/alerts', body({ service_id: unknown }));
      expectProblem(answer, 404, 'service_not_found');
    }
    expectProblem(
      await stranger.api.post('/v1/alerts', stranger.body({ service_id })),
      404,
      'service_not_found',
    );
  });

  it('names of environments and services narrow it, and stay as they are written', async () => {
    const { api, alerts, body, project } = await newOwner();
    const scope = { name: 'Pager', environments: ['production', 'EU-*', '!test'], services: ['*'] };
    const rule = await alerts.create({ ...MAIL, ...scope });
    expect(rule).toMatchObject({ ...scope, service_id: null });
    expect((await api.get(`/v1/alerts?project_id=${project.projectId}`)).body).toMatchObject({
      alerts: [scope],
    });
    const open = { name: null, environments: null, services: null };
    expect(await alerts.create({ ...MAIL, ...open })).toMatchObject(open);
    expect(await alerts.create({ ...MAIL, name: '  ', environments: [], services: [] })).toMatchObject(open);
    const names = (count: number) => Array.from({ length: count }, (_, n) => `name ${n}`);
    await alerts.create({ ...MAIL, name: 'x'.repeat(80), environments: names(20), services: names(50) });
    for (const change of [
      { environments: names(21) },
      { services: names(51) },
      { name: 'x'.repeat(81) },
      { environments: 'production' },
      { environments: [''] },
      { environments: [' '] },
      { environments: ['*prod'] },
      { environments: ['pr*d'] },
      { environments: ['prod**'] },
      { environments: ['!'] },
      { environments: ['!*'] },
      { environments: ['!!a'] },
      { environments: [null] },
      { environments: ['x'.repeat(203)] },
      { services: [1] },
      { name: 1 },
    ]) {
      expectProblem(await api.post('/v1/alerts', body(change)), 400, 'invalid_payload');
      expectProblem(await api.patch(`/v1/alerts/${rule.alert_id}`, change), 400, 'invalid_payload');
    }
    const cleared = await alerts.update(rule.alert_id, { environments: null, services: null });
    expect(cleared).toMatchObject({ ...open, name: 'Pager' });
  });

  it('a service is named once, by its id or by names', async () => {
    const { api, alerts, body, project } = await newOwner();
    const client = clientOf(culprit, project);
    await client.send(EX());
    const { service_id } = await client.only();
    const both = { service_id, services: ['checkout-api'] };
    const preview = body({ ...both, days: 1 });
    expectProblem(await api.post('/v1/alerts/preview', preview), 400, 'invalid_payload');
    expectProblem(await api.post('/v1/alerts', body(both)), 400, 'invalid_payload');
    const rule = await alerts.create({ ...MAIL, service_id, services: null });
    const path = `/v1/alerts/${rule.alert_id}`;
    expectProblem(await api.patch(path, both), 400, 'invalid_payload');
    expectProblem(await api.patch(path, { services: ['a'] }), 400, 'invalid_payload');
    const named = await alerts.update(rule.alert_id, { service_id: null, services: ['a'] });
    expect(named).toMatchObject({ service_id: null, services: ['a'] });
    expectProblem(await api.patch(path, { service_id }), 400, 'invalid_payload');
    expect(await alerts.update(rule.alert_id, { service_id, services: null })).toMatchObject({
      service_id,
      services: null,
    });
  });

  it('a project has a hundred rules at most, also when many are made at once', async () => {
    const { api, alerts, body, project } = await newOwner();
    await alerts.create(MAIL);
    await culprit.database.query(
      {
        name: 'test-more-rules',
        text: `insert into alert_rules
          select gen_random_uuid(), r.project_id, r.created_by_user_id, r.service_id, r.channel, r.condition_type,
            r.severity_min, r.severity_lifecycle_scope, r.cooldown_seconds, r.config, r.is_enabled
          from alert_rules r, generate_series(1, 96) where r.project_id = $1`,
      },
      [project.projectId.replace('proj_', '')],
    );
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.post('/v1/alerts', body())));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectProblem(answer, 409, 'resource_limit_reached');
    }
  });
});

describe('listing alert rules', () => {
  // N-08, N-09
  it('pages are newest first, fifty unless said otherwise', async () => {
    const { api, alerts, project } = await newOwner();
    const made: string[] = [];
    for (let n = 0; n < 51; n += 1) made.unshift((await alerts.create(MAIL)).alert_id);
    const list = async (query: string) => {
      const { status, body } = await api.get(`/v1/alerts?project_id=${project.projectId}${query}`);
      expect(status).toBe(200);
      return body as { alerts: { alert_id: string }[]; next_cursor: string | null };
    };
    const first = await list('');
    expect(first.alerts.map(({ alert_id }) => alert_id)).toEqual(made.slice(0, 50));
    const rest = await list(`&cursor=${encodeURIComponent(first.next_cursor ?? '')}`);
    expect(rest.alerts.map(({ alert_id }) => alert_id)).toEqual(made.slice(50));
    expect(rest.next_cursor).toBeNull();
    expect((await list('&limit=2')).alerts).toHaveLength(2);
    for (const query of ['&limit=0', '&limit=101', '&cursor=nowhere', '&order=oldest']) {
      const answer = await api.get(`/v1/alerts?project_id=${project.projectId}${query}`);
      expectProblem(answer, 400, 'invalid_query');
    }
    expectProblem(await api.get('/v1/alerts'), 400, 'invalid_query');
  });

  it('there is no reading of one rule', async () => {
    const { api, alerts } = await newOwner();
    const { alert_id } = await alerts.create(MAIL);
    expectProblem(await api.get(`/v1/alerts/${alert_id}`), 404, 'not_found');
  });
});

describe('changing alert rules', () => {
  // N-10
  it('a config comes with its channel', async () => {
    const { api, alerts } = await newOwner();
    const { alert_id } = await alerts.create(MAIL);
    const path = `/v1/alerts/${alert_id}`;
    const config = { to: 'x@example.test' };
    expectProblem(await api.patch(path, { config }), 400, 'invalid_payload');
    expectProblem(await api.patch(path, { config: null }), 400, 'invalid_payload');
    expect((await alerts.update(alert_id, { channel: 'email', config })).config).toEqual(config);
    // Another channel never takes over a config.
    expectProblem(await api.patch(path, { channel: 'webhook' }), 400, 'invalid_payload');
    expectProblem(await api.patch(path, { channel: 'webhook', config }), 400, 'invalid_payload');
    expect((await alerts.update(alert_id, { channel: 'email' })).config).toEqual(config);
    const cleared = await alerts.update(alert_id, { channel: 'webhook', config: null });
    expect([cleared.channel, cleared.config]).toEqual(['webhook', {}]);
  });

  // N-11
  it('null clears', async () => {
    const { api, alerts, project } = await newOwner();
    const client = clientOf(culprit, project);
    await client.send(EX());
    const { service_id } = await client.only();
    const rule = await alerts.create({
      ...MAIL,
      condition_type: 'severity_threshold',
      severity_lifecycle_scope: 'incident_regressed',
      severity_min: 'high',
      service_id,
      cooldown_seconds: 60,
      is_enabled: false,
    });
    const cleared = await alerts.update(rule.alert_id, {
      service_id: null,
      severity_min: null,
      severity_lifecycle_scope: null,
      cooldown_seconds: null,
    });
    expect(cleared).toEqual({
      ...rule,
      service_id: null,
      severity_min: null,
      severity_lifecycle_scope: 'both',
      cooldown_seconds: 0,
      updated_at: cleared.updated_at,
    });
    expect((await alerts.update(rule.alert_id, { is_enabled: null })).is_enabled).toBe(true);
    for (const field of ['channel', 'condition_type']) {
      const answer = await api.patch(`/v1/alerts/${rule.alert_id}`, { [field]: null });
      expectProblem(answer, 400, 'invalid_payload');
    }
  });

  // N-12
  it('the scope follows the condition', async () => {
    const { alerts } = await newOwner();
    const threshold = {
      ...MAIL,
      condition_type: 'severity_threshold',
      severity_lifecycle_scope: 'new_incident',
    };
    const { alert_id } = await alerts.create(threshold);
    const changed = await alerts.update(alert_id, { condition_type: 'new_incident' });
    expect(changed.severity_lifecycle_scope).toBeNull();
    const back = await alerts.update(alert_id, { condition_type: 'severity_threshold' });
    expect(back.severity_lifecycle_scope).toBe('both');
    const kept = await alerts.update(alert_id, { severity_lifecycle_scope: 'new_incident' });
    expect(kept.severity_lifecycle_scope).toBe('new_incident');
    const again = await alerts.update(alert_id, { condition_type: 'severity_threshold' });
    expect(again.severity_lifecycle_scope).toBe('new_incident');
  });

  // N-13
  it('an update says something, and nothing it may not say', async () => {
    const { api, alerts, project } = await newOwner();
    const { alert_id } = await alerts.create(MAIL);
    for (const body of [
      {},
      { project_id: project.projectId },
      { mute: true },
      { cooldown_seconds: 604_801 },
    ]) {
      expectProblem(await api.patch(`/v1/alerts/${alert_id}`, body), 400, 'invalid_payload');
    }
  });

  it('absent fields stay, and every accepted update moves updated_at', async () => {
    const { alerts } = await newOwner();
    const rule = await alerts.create({ ...MAIL, cooldown_seconds: 60, severity_min: 'low' });
    const same = await alerts.update(rule.alert_id, { is_enabled: true });
    expect(same).toEqual({ ...rule, updated_at: same.updated_at });
    expect(Date.parse(same.updated_at)).toBeGreaterThan(Date.parse(rule.updated_at));
  });
});
