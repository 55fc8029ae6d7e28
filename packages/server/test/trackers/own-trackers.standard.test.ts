import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signMessage } from '../../src/notify/webhooks/signing-secret.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { alertClient } from '../support/alert-client.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { newAddress } from '../support/people.ts';
import {
  createTicket,
  startTrackerBench,
  type TrackerBench,
  textIn,
  trackerPath,
} from '../support/tracker-bench.ts';
import { startTrackerServer } from '../support/tracker-server.ts';
import { TRACKER_TOKEN } from '../support/trackers/tracker-store.ts';

/** Generic trackers (docs/contract/team-workflow.md 7.5), and rules that create tickets by themselves (7.6). */

let culprit: TestCulprit;
let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer();
  culprit = await startCulprit({
    // The waits of the work on trackers are shorter.
    retryScale: 0.03,
    mail: { transport: 'smtp', smtpUrl: new Secret(mails.url) },
  });
});
afterAll(async () => {
  await culprit?.stop();
  await mails?.stop();
});

/** A project whose tracker is behind a service of its people. */
async function genericBench(email = newAddress('owner')): Promise<TrackerBench> {
  const server = await startTrackerServer();
  return await startTrackerBench(
    culprit,
    { kind: 'generic', base_url: `${server.url}/generic`, target: 'support' },
    { server, email },
  );
}

/** What was sent to the service, by its event. */
function callsOf({ server }: TrackerBench, event: string): JsonObject[] {
  return server.requests
    .map(({ body }): JsonObject => JSON.parse(body))
    .filter((content) => content.event === event);
}

/** Sends a report as the service in front of the tracker does. */
async function report(
  world: TrackerBench,
  content: unknown,
  { secret = TRACKER_TOKEN, ageSeconds = 0 } = {},
): Promise<number> {
  const callback = textIn(callsOf(world, 'ticket.create')[0], 'callback_url');
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const answer = await fetch(culprit.url + new URL(callback).pathname, {
    method: 'POST',
    headers: {
      'webhook-id': 'report',
      'webhook-timestamp': timestamp,
      'webhook-signature': signMessage(secret, 'report', timestamp, Buffer.from(body)),
    },
    body,
  });
  return answer.status;
}

describe('a generic tracker', () => {
  it('gets signed calls, and its tickets follow their incidents', async () => {
    const world = await genericBench();
    const { server, client, id, linked } = world;
    expect(await world.ask('POST', `${trackerPath(world)}/test`)).toMatchObject({
      status: 200,
      body: { tracker: { account: new URL(server.url).host } },
    });
    await createTicket(world);
    await linked({ state: 'open', key: 'SUP-1', url: 'https://tickets.example/1', kind: 'generic' });
    const incident = await client.read(id);
    const [call] = callsOf(world, 'ticket.create');
    expect(call).toMatchObject({
      title: `[${incident.short_id}] ${incident.title}`,
      incident: { incident_id: id, service_name: incident.service_name },
      body_markdown: expect.stringContaining(`/incidents/${id}`),
    });
    expect(call?.incident).not.toHaveProperty('triage');
    await client.resolve(id);
    await linked({ state: 'closed' });
    await client.reopen(id);
    await linked({ state: 'open', title: server.tickets[0]?.title ?? '' });
    expect(callsOf(world, 'ticket.update').map(({ key, state }) => [key, state])).toEqual([
      ['SUP-1', 'closed'],
      ['SUP-1', 'open'],
    ]);
    await eventually(() => expect(server.tickets[0]?.comments).toHaveLength(2));
    expectProblem(
      await world.ask('POST', `/incidents/${id}/links`, { tracker_id: world.trackerId, key: 'SUP-1' }),
      404,
      'ticket_not_found',
    );
  });

  it('creates one ticket under one key, although the answers are lost', async () => {
    const world = await genericBench();
    world.server.fail('POST', 'lost', 'lost');
    await createTicket(world);
    await world.linked({ state: 'open', key: 'SUP-1' });
    expect(callsOf(world, 'ticket.create')).toHaveLength(3);
    expect(world.server.tickets).toHaveLength(1);
  });

  it('reports a state that its incident follows, signed and not older than what is known', async () => {
    const world = await genericBench();
    const { client, id, linked } = world;
    const status = async () => (await client.read(id)).status;
    await createTicket(world);
    await linked({ state: 'open' });
    const closed = { key: 'SUP-1', state: 'closed', state_name: 'Solved' };
    expect(await report(world, closed, { secret: 'another' })).toBe(401);
    expect(await report(world, closed, { ageSeconds: 360 })).toBe(401);
    expect(await report(world, { ...closed, key: 'SUP-2' })).toBe(404);
    for (const wrong of ['{', '[]', { key: 'SUP-1' }, { ...closed, state: 'done' }, { state: 'closed' }]) {
      expect(await report(world, wrong)).toBe(400);
    }
    expect(await status()).toBe('open');
    expect(await report(world, closed, { ageSeconds: 60 })).toBe(202);
    expect(await status()).toBe('resolved');
    await linked({ state: 'closed', state_name: 'Solved', url: 'https://tickets.example/1' });
    expect(await report(world, { ...closed, state: 'open' }, { ageSeconds: 90 })).toBe(202);
    expect(await status()).toBe('resolved');
    expect(await report(world, { ...closed, state: 'open' }, { ageSeconds: 30 })).toBe(202);
    expect(await status()).toBe('open');
    // Its own changes were reported, so it is told of none.
    expect(callsOf(world, 'ticket.update')).toEqual([]);
    // A report from before our own change is older than what is known.
    await client.resolve(id);
    await eventually(() => expect(callsOf(world, 'ticket.update')).toHaveLength(1));
    await linked({ state: 'closed' });
    expect(await report(world, { ...closed, state: 'open' }, { ageSeconds: 20 })).toBe(202);
    expect(await status()).toBe('resolved');
    expect(await report(world, { ...closed, state: 'open' })).toBe(202);
    expect(await status()).toBe('open');
    expect(await report(world, { ...closed, wont_fix: true })).toBe(202);
    expect((await client.read(id)).triage.snooze).not.toBeNull();
  });

  it('gets assignees and notes where that is set, and reports who has a ticket', async () => {
    const world = await genericBench();
    const { client, id, ask } = world;
    const { body } = await ask('GET', `/projects/${client.project.projectId}/people`);
    const [owner] = isJsonObject(body) && Array.isArray(body.people) ? body.people : [];
    const { name, handle, email = '' } = isJsonObject(owner) ? owner : {};
    await ask('PATCH', trackerPath(world), { sync_assignee: 'to_tracker', sync_notes: true });
    await createTicket(world);
    await world.linked({ state: 'open' });
    await ask('PATCH', `/incidents/${id}`, { assignee: { user_id: client.project.userId } });
    world.server.fail('POST', 'lost');
    await ask('POST', `/incidents/${id}/notes`, { body: 'It is the cache' });
    await eventually(() => expect(world.server.tickets[0]?.comments).toHaveLength(1));
    await eventually(() => expect(callsOf(world, 'ticket.assign').length).toBeGreaterThan(0));
    expect(callsOf(world, 'ticket.assign')[0]).toMatchObject({
      key: 'SUP-1',
      assignee: { name, handle, email },
    });
    await ask('PATCH', trackerPath(world), { sync_assignee: 'from_tracker' });
    const open = { key: 'SUP-1', state: 'open' };
    expect(await report(world, { ...open, assignee: 'Ada' })).toBe(400);
    expect(await report(world, { ...open, assignee: { email } }, { ageSeconds: -1 })).toBe(202);
    await ask('PATCH', `/incidents/${id}`, { assignee: null });
    // A report without the field says nothing about the person.
    expect(await report(world, open, { ageSeconds: -2 })).toBe(202);
    expect((await client.read(id)).triage.assignee).toBeNull();
    expect(await report(world, { ...open, assignee: null }, { ageSeconds: -3 })).toBe(202);
    expect(await report(world, { ...open, assignee: { email } }, { ageSeconds: -4 })).toBe(202);
    expect((await client.read(id)).triage.assignee).toMatchObject({ email });
  });

  it('whose reports change the state for ever pauses the link, mails once, and a refresh ends the pause', async () => {
    const email = newAddress('maker');
    const world = await genericBench(email);
    const { client, id, ask, linked } = world;
    const told = () => mails.received.filter(({ to }) => to.includes(email)).map(({ mail }) => mail);
    await createTicket(world);
    const { link_id: linkId } = await linked({ state: 'open' });
    const states = ['closed', 'open', 'closed', 'open', 'closed', 'open', 'closed'];
    for (const [n, state] of states.entries()) {
      expect(await report(world, { key: 'SUP-1', state }, { ageSeconds: 100 - n })).toBe(202);
    }
    await linked({ state: 'closed', is_paused: true, last_error: 'flapping' });
    // A paused link counts no more changes.
    for (const state of ['open', 'closed']) {
      expect(await report(world, { key: 'SUP-1', state }, { ageSeconds: 90 })).toBe(202);
    }
    // The seventh change stays where it is.
    expect((await client.read(id)).status).toBe('open');
    expect(await client.ledger('incident.resolved')).toHaveLength(3);
    await ask('POST', `/incidents/${id}/links/${linkId}/refresh`);
    // The sides disagree, so the incident decides.
    await linked({ state: 'open', is_paused: false, last_error: null });
    expect(callsOf(world, 'ticket.update').map(({ state }) => state)).toEqual(['open']);
    await eventually(() => expect(told()).toHaveLength(1));
    const { short_id: shortId } = await client.read(id);
    expect(told()[0]?.subject).toContain(`${shortId} and SUP-1 are no longer synchronized`);
    expect(told()[0]?.text).toContain(`/incidents/${id}`);
  });

  it('has a secret of ours that is shown once, and a new one ends the old one and its address', async () => {
    const world = await genericBench();
    const { ask, client } = world;
    const path = `/projects/${client.project.projectId}/trackers`;
    const body = { kind: 'generic', base_url: `${world.server.url}/generic`, target: 'support' };
    const made = await ask('POST', path, body);
    expect(textIn(made.body, 'secret')).toMatch(/^\w{43}$/);
    expect(JSON.stringify((await ask('GET', path)).body)).not.toContain(textIn(made.body, 'secret'));
    const other = `${path}/${textIn(made.body, 'tracker', 'tracker_id')}`;
    expectProblem(await ask('POST', `${other}/test`), 409, 'tracker_refused');
    expect((await ask('POST', `${other}/hook`, { secret: TRACKER_TOKEN })).status).toBe(201);
    expect((await ask('POST', `${other}/test`)).status).toBe(200);
    expectProblem(await ask('POST', path, { ...body, kind: 'jira' }), 400, 'invalid_payload');
    expectProblem(await ask('POST', path, { ...body, base_url: 'http://10.0.0.1/x' }), 400, 'blocked_target');
    await createTicket(world);
    await world.linked({ state: 'open' });
    await ask('POST', `${trackerPath(world)}/hook`);
    expect(await report(world, { key: 'SUP-1', state: 'closed' })).toBe(404);
  });
});

/** An incident besides the one of the bench, and its newest link. */
async function newIncident({ client, ask }: TrackerBench, name: string) {
  await client.send(EX({ service: { name } }));
  const id = await eventually(async () => {
    const found = (await client.list()).find(({ service_name: service }) => service === name);
    if (found === undefined) throw new Error(`no incident of ${name}`);
    return found.incident_id;
  });
  return {
    id,
    link: async () => {
      const { body } = await ask('GET', `/incidents/${id}/links`);
      return isJsonObject(body) && Array.isArray(body.links) ? body.links : [];
    },
  };
}

describe('a rule that creates tickets', () => {
  const channelOf = ({ trackerId }: TrackerBench) => ({
    channel: 'tracker',
    config: { tracker_id: trackerId },
  });

  it('creates one for each incident, also when two rules want it and it comes back', async () => {
    const world = await startTrackerBench(culprit);
    const { server, client } = world;
    const alerts = alertClient(culprit, client.project);
    await alerts.create({ ...channelOf(world), name: 'One' });
    const other = await alerts.create({ ...channelOf(world), condition_type: 'incident_regressed' });
    const { alert_id: both } = await alerts.create({
      ...channelOf(world),
      condition_type: 'severity_threshold',
      severity_min: 'low',
    });
    const { id, link } = await newIncident(world, 'payments');
    await alerts.reached([
      { status: 'delivered', last_error: null },
      { status: 'delivered', alert_id: both },
    ]);
    expect(await link()).toMatchObject([{ state: 'open', key: 'acme/shop#1', created_by_user_id: null }]);
    const history = await client.get(`/v1/incidents/${id}/history`);
    expect(JSON.stringify(history.body)).toContain('"because":"alert"');
    await client.resolve(id);
    await eventually(() => expect(server.tickets[0]?.isClosed).toBe(true));
    await client.send(EX({ service: { name: 'payments' } }));
    await alerts.reached([{ status: 'delivered', alert_id: other.alert_id }], other.alert_id);
    await eventually(() =>
      expect(server.tickets[0]?.comments.map(({ body }) => body).join()).toContain('happened again'),
    );
    expect(server.tickets).toHaveLength(1);
    expect(server.tickets[0]?.isClosed).toBe(false);
    const verdicts = await client.get(`/v1/incidents/${id}/alert-verdicts`);
    expect(JSON.stringify(verdicts.body)).toContain('A message was created; it is delivered.');
  });

  it('has failed when the tracker refuses the ticket, and the next occasion tries again', async () => {
    const world = await startTrackerBench(culprit);
    const { server, client } = world;
    const alerts = alertClient(culprit, client.project);
    const { alert_id: fresh } = await alerts.create(channelOf(world));
    const back = await alerts.create({ ...channelOf(world), condition_type: 'incident_regressed' });
    server.fail('POST', { status: 422 });
    const { id, link } = await newIncident(world, 'payments');
    await alerts.reached([{ status: 'failed', last_error: 'http_422' }], fresh);
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    await client.resolve(id);
    await client.send(EX({ service: { name: 'payments' } }));
    await alerts.reached([{ status: 'delivered' }], back.alert_id);
    expect(await link()).toMatchObject([{ state: 'open' }, { state: 'failed' }]);
    expect(server.tickets).toHaveLength(1);
  });

  it('waits for a tracker whose token is refused, and its test reads the tracker alone', async () => {
    const world = await startTrackerBench(culprit, { token: 'wrong' });
    const { server, client, ask } = world;
    const alerts = alertClient(culprit, client.project);
    const rule = await alerts.create(channelOf(world));
    const { link } = await newIncident(world, 'payments');
    await alerts.reached([{ status: 'retrying', last_error: 'tracker_refused' }]);
    expect(await link()).toMatchObject([{ state: 'pending' }]);
    await client.post(`/v1/alerts/${rule.alert_id}/test`);
    await alerts.reached([{ status: 'retrying' }, { status: 'failed', last_error: 'http_401' }]);
    await ask('PATCH', trackerPath(world), { token: TRACKER_TOKEN });
    await client.post(`/v1/alerts/${rule.alert_id}/test`);
    await alerts.reached([{}, { status: 'failed' }, { status: 'delivered' }]);
    // The test has ended the stop, so the ticket that waited is created.
    await eventually(async () => expect(await link()).toMatchObject([{ state: 'open' }]));
    expect(server.tickets).toHaveLength(1);
  });

  it('names a tracker of its project, which is not disconnected unnoticed', async () => {
    const [world, other] = [await startTrackerBench(culprit), await startTrackerBench(culprit)];
    const { ask, client } = world;
    const alerts = alertClient(culprit, client.project);
    const rule = {
      project_id: client.project.projectId,
      channel: 'tracker',
      condition_type: 'new_incident',
    };
    const create = (config: object) => ask('POST', '/alerts', { ...rule, config });
    expectProblem(await create({ tracker_id: other.trackerId }), 404, 'tracker_not_found');
    expectProblem(await create({ tracker_id: 'x' }), 404, 'tracker_not_found');
    expectProblem(await create({ to: 'a@example.com' }), 400, 'invalid_payload');
    const { alert_id: id } = await alerts.create(channelOf(world));
    expectProblem(await ask('DELETE', trackerPath(world)), 409, 'tracker_in_use');
    expect((await ask('DELETE', `${trackerPath(world)}?unlink=1`)).status).toBe(200);
    const { body } = await ask('GET', `/alerts?project_id=${client.project.projectId}`);
    expect(body).toMatchObject({ alerts: [{ alert_id: id, config: {}, is_enabled: true }] });
  });
});

describe('the places where a tracker can create tickets', () => {
  it('are listed by a stored token or a new one, bounded, and never by the token of another project', async () => {
    const [world, other] = [await startTrackerBench(culprit), await startTrackerBench(culprit)];
    const { ask, client, server, trackerId } = world;
    const path = `/projects/${client.project.projectId}/trackers/targets`;
    const all = await ask('POST', path, { tracker_id: trackerId });
    expect(all).toMatchObject({ status: 200, body: { issue_types: [] } });
    expect(isJsonObject(all.body) && all.body.targets).toHaveLength(50);
    const found = await ask('POST', path, { tracker_id: trackerId, q: ' Shop ' });
    expect(found.body).toEqual({ targets: [{ target: 'acme/shop', name: 'acme/shop' }], issue_types: [] });
    const fresh = { kind: 'jira', base_url: server.url, token: TRACKER_TOKEN };
    const jira = await ask('POST', path, { ...fresh, target: 'ENG' });
    expect(jira.body).toEqual({
      targets: [{ target: 'ENG', name: 'Engineering (ENG)' }],
      issue_types: ['Bug', 'Task'],
    });
    expectProblem(await ask('POST', path, { ...fresh, token: 'wrong' }), 409, 'tracker_refused');
    expectProblem(await ask('POST', path, { tracker_id: other.trackerId }), 404, 'tracker_not_found');
    expectProblem(await ask('POST', path, { ...fresh, base_url: 'https://10.0.0.1' }), 400, 'blocked_target');
    // The stored token is for its own address alone.
    for (const body of [{}, { kind: 'github' }, { tracker_id: trackerId, base_url: server.url }]) {
      expectProblem(await ask('POST', path, body), 400, 'invalid_payload');
    }
  });
});
