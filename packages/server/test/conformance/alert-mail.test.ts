import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { type AlertClient, alertClient } from '../support/alert-client.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { clientOf, connect, type IncidentClient } from '../support/incident-client.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../support/mail-server.ts';
import { managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { newAddress } from '../support/people.ts';
import { DEP, EX, EX_TITLE, named, OPAQUE, SECOND } from './incidents-fixtures.ts';

/** Looked for every 20 ms, so that moving the clock is noticed at once. */
const RETRY_SCALE = 0.02;
const DIGEST = 10 * SECOND;

describe('alerts by mail', () => {
  let culprit: TestCulprit;
  let server: MailServer;
  let aheadMs = 0;
  beforeAll(async () => {
    server = await startMailServer();
    culprit = await startCulprit({
      retryScale: RETRY_SCALE,
      mail: { transport: 'smtp', smtpUrl: new Secret(server.url) },
    });
  });
  afterAll(async () => {
    await server.stop();
    await culprit.stop();
  });
  afterEach(async () => {
    aheadMs = 0;
    await moveClock(culprit.database, 0);
  });

  async function watch(): Promise<{ client: IncidentClient; alerts: AlertClient; to: string }> {
    const client = await connect(culprit, { name: 'Main App' });
    return { client, alerts: alertClient(culprit, client.project), to: newAddress('oncall') };
  }

  async function pass(durationMs: number): Promise<void> {
    aheadMs += durationMs;
    await moveClock(culprit.database, aheadMs);
  }

  function mailsTo(address: string): ReceivedMail[] {
    return server.received.filter(({ to }) => to.includes(address));
  }

  async function received(address: string, count: number): Promise<ReceivedMail[]> {
    return await eventually(() => {
      expect(mailsTo(address)).toHaveLength(count);
      return mailsTo(address);
    });
  }

  // Row 16 of the acceptance of the dashboard.
  it('a new project has one rule, by which its first urgent incident is mailed to its owner', async () => {
    const to = newAddress('owner');
    const { memberToken } = await culprit.createProject({ name: 'Earlier', email: to });
    const member = managementClient(culprit, memberToken);
    const { project_id: projectId } = await member.createProject({ name: 'Gift shop' });
    const projectToken = await culprit.createProjectToken(projectId);
    const project = { projectId, projectToken, memberToken, userId: '', name: 'Gift shop' };
    const [client, alerts] = [clientOf(culprit, project), alertClient(culprit, project)];
    expect((await client.get(`/v1/alerts?project_id=${projectId}`)).body).toMatchObject({
      alerts: [
        {
          name: 'New or regressed, urgent or high',
          channel: 'email',
          config: { to },
          condition_type: 'severity_threshold',
          severity_lifecycle_scope: 'both',
          query: 'priority:urgent,high',
          cooldown_seconds: 3600,
          is_enabled: true,
        },
      ],
      next_cursor: null,
    });
    // Not urgent, and not of production.
    const staging = { service: { environment: 'staging' } };
    await client.send(DEP(), named('Minor', staging));
    await client.only();
    expect(await alerts.evaluated()).toEqual([]);
    await client.send(EX({ context: { severity: 'critical' } }));
    await alerts.reached([{ status: 'pending' }]);
    await client.refreshed();
    await pass(DIGEST);
    const [message] = await received(to, 1);
    const { subject, text = '', html = '' } = message?.mail ?? {};
    expect(subject).toMatch(/^\[GIFTSHOP-\d\] New: TypeError in checkout-api$/);
    for (const fact of [
      EX_TITLE,
      'checkout-api · production',
      '2026.03.24.1 (a1b2c3d4), deployed 90 min before',
      'In-app frame: renderTheme /srv/releases/20260324101500/src/checkout/theme.js:42',
      'You get this because of the rule "New or regressed, urgent or high" of Gift shop.',
    ]) {
      expect(text).toContain(fact);
    }
    expect(html.match(/display:inline-block/g)).toHaveLength(1);
    expect(html).toContain('>Open incident</a>');
    const visible =
      html.replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, ' ') + text.replaceAll(/https?:\S+/g, '');
    expect(visible).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    // It comes back twice within the hour.
    const [incident] = await client.list({ project_id: projectId, q: 'env:production is:open' });
    for (const occurrences of [2, 3]) {
      await client.resolve(incident?.incident_id ?? '');
      await client.send(EX({ context: { severity: 'critical' } }));
      await client.counted(occurrences, 1);
    }
    const deliveries = await alerts.evaluated();
    expect(deliveries.map(({ dedupe_key }) => dedupe_key)).toEqual(['new_incident', 'incident_regressed:1']);
  });

  it('a project has no rule if its owner wants none', async () => {
    const { memberToken } = await culprit.createProject();
    const member = managementClient(culprit, memberToken);
    const answer = await member.post('/v1/projects', { name: 'Quiet', first_alert: false });
    const { project_id: id } = (answer.body as { project: { project_id: string } }).project;
    expect((await member.get(`/v1/alerts?project_id=${id}`)).body).toMatchObject({ alerts: [] });
  });

  // N-23
  it('three incidents within ten seconds are one message, and one unit', async () => {
    const { client, alerts, to } = await watch();
    await alerts.create({ channel: 'email', config: { to } });
    await client.send(named('First'));
    await alerts.reached([{ status: 'pending' }]);
    await pass(4 * SECOND);
    await client.send(named('Second'), OPAQUE());
    await alerts.reached([{ status: 'pending' }, { status: 'pending' }, { status: 'pending' }]);
    expect(mailsTo(to)).toEqual([]);
    await pass(DIGEST - 4 * SECOND);
    const [message] = await received(to, 1);
    await alerts.reached(Array.from({ length: 3 }, () => ({ status: 'delivered', attempt_count: 1 })));
    expect(message?.mail.subject).toMatch(/^\[[A-Z0-9]+-\d\] New: FirstError in checkout-api, and 2 more$/);
    const { text = '', html = '' } = message?.mail ?? {};
    for (const title of ['First failed', 'Second failed', 'Script error.']) {
      expect(text).toContain(title);
      expect(html).toContain(title);
    }
    // The worst first, then by time.
    expect(text.indexOf('First failed')).toBeLessThan(text.indexOf('Second failed'));
    expect(text.indexOf('Second failed')).toBeLessThan(text.indexOf('Script error.'));
    expect(text).toContain('You get this because of the rule "New incident" of Main App.');
    expect(await alerts.used()).toBe(1);
    const project = await client.get(`/v1/projects/${client.project.projectId}`);
    expect(project.body).toMatchObject({ project: { metrics: { monthly_alert_deliveries: 1 } } });
  });

  it('says by its headers that it is automatic, and what it is a repetition of', async () => {
    const { client, alerts, to } = await watch();
    await alerts.create({ channel: 'email', config: { to } });
    await client.send(EX());
    const [delivery] = await alerts.reached([{ status: 'pending' }]);
    await pass(DIGEST);
    const [message] = await received(to, 1);
    const headers = new Map(message?.mail.headers.map(({ key, value }) => [key, value]));
    expect(headers.get('auto-submitted')).toBe('auto-generated');
    expect(message?.mail.messageId).toBe(`<${delivery?.message_id}@example.test>`);
    const incident = await client.only();
    expect(message?.mail.subject).toBe(
      `[${incident.short_id}] New: ${incident.title.split(':')[0]} in ${incident.service_name}`,
    );
    expect(message?.mail.html).toContain(`href="${culprit.baseUrl}/incidents/${incident.incident_id}"`);
  });

  it('what comes after the window is a message of its own', async () => {
    const { client, alerts, to } = await watch();
    await alerts.create({ channel: 'email', config: { to } });
    await client.send(named('First'));
    await alerts.reached([{ status: 'pending' }]);
    await pass(DIGEST);
    await received(to, 1);
    await client.send(named('Second'));
    await alerts.reached([{ status: 'delivered' }, { status: 'pending' }]);
    await pass(DIGEST);
    await received(to, 2);
    expect(await alerts.used()).toBe(2);
  });

  it('digests are of one address and one project; rules to one address share them', async () => {
    const { client, alerts, to } = await watch();
    const other = await watch();
    await alerts.create({ channel: 'email', config: { to } });
    await alerts.create({
      channel: 'email',
      condition_type: 'severity_threshold',
      config: { to: to.toUpperCase() },
    });
    await alerts.create({ channel: 'email', config: { to: other.to } });
    await other.alerts.create({ channel: 'email', config: { to } });
    await Promise.all([client.send(EX()), other.client.send(EX())]);
    await Promise.all([alerts.reached([{}, {}, {}]), other.alerts.reached([{}])]);
    await pass(DIGEST);
    const mails = await received(to, 2);
    expect(mails.map(({ mail }) => mail.subject).sort()).toEqual([
      expect.stringMatching(/^\[[A-Z0-9]+-\d\] New: .* in checkout-api$/),
      expect.stringMatching(/^\[[A-Z0-9]+-\d\] New: .* in checkout-api$/),
    ]);
    await received(other.to, 1);
    expect([await alerts.used(), await other.alerts.used()]).toEqual([2, 1]);
  });

  it('a test is a message of its own at once, and links to no incident', async () => {
    const { client, alerts, to } = await watch();
    const { alert_id } = await alerts.create({ channel: 'email', config: { to } });
    await client.post(`/v1/alerts/${alert_id}/test`);
    await client.send(named('First'));
    await alerts.reached([{ status: 'delivered' }, { status: 'pending' }]);
    const [test] = await received(to, 1);
    expect(test?.mail.subject).toBe('[Test] Alert rule "New incident"');
    expect(test?.mail.html).not.toMatch(/\/(?:incidents|bundles)\//);
    expect(test?.mail.text).not.toContain('First failed');
    await pass(DIGEST);
    expect((await received(to, 2))[1]?.mail.subject).toMatch(
      /^\[[A-Z0-9]+-\d\] New: FirstError in checkout-api$/,
    );
  });

  it('a rule that was switched off leaves the digest, and takes it along when it is the last', async () => {
    const { client, alerts, to } = await watch();
    const off = await alerts.create({ channel: 'email', config: { to } });
    const moved = await alerts.create({ channel: 'email', config: { to } });
    const stays = await alerts.create({
      channel: 'email',
      condition_type: 'severity_threshold',
      config: { to },
    });
    await client.send(EX());
    await alerts.reached([{}, {}, {}]);
    await alerts.update(off.alert_id, { is_enabled: false });
    const elsewhere = newAddress('elsewhere');
    await alerts.update(moved.alert_id, { channel: 'email', config: { to: elsewhere } });
    const dropped = { status: 'failed', last_error: 'alert_disabled' } as const;
    await alerts.reached([dropped], off.alert_id);
    await alerts.reached([dropped], moved.alert_id);
    await alerts.reached([{ status: 'pending' }], stays.alert_id);
    await pass(DIGEST);
    const [message] = await received(to, 1);
    expect(message?.mail.subject).toMatch(/^\[[A-Z0-9]+-\d\] New: .* in checkout-api$/);
    await client.send(named('Second'));
    await alerts.reached([{}, { status: 'pending' }], stays.alert_id);
    await alerts.update(moved.alert_id, { is_enabled: false });
    await alerts.delete(stays.alert_id);
    await alerts.reached([{ status: 'delivered' }, dropped], stays.alert_id);
    await pass(DIGEST);
    expect([mailsTo(to).length, mailsTo(elsewhere).length]).toEqual([1, 0]);
  });
});

describe('alerts by mail without a mail server', () => {
  it('are not created, cost nothing, and say why', async () => {
    const silent = await startCulprit({ mail: { transport: 'off' } });
    try {
      const client = await connect(silent, { firstAlert: true });
      const alerts = alertClient(silent, client.project);
      const { alert_id } = await alerts.create({ channel: 'email', config: { to: newAddress() } });
      await client.send(EX());
      const { incident_id: id } = await client.only();
      expect(await alerts.evaluated()).toEqual([]);
      expect(await client.get(`/v1/incidents/${id}/alert-verdicts`)).toMatchObject({
        body: { verdicts: [{ verdict: 'disabled_target' }, { verdict: 'disabled_target' }] },
      });
      // A test was asked for, so its failure is an answer.
      await client.post(`/v1/alerts/${alert_id}/test`);
      await alerts.reached([{ status: 'failed', last_error: 'email_not_configured', attempt_count: 0 }]);
      expect(await alerts.used()).toBe(0);
    } finally {
      await silent.stop();
    }
  });
});
