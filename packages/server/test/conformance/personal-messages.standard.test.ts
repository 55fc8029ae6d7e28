import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { alertClient } from '../support/alert-client.ts';
import { type Collaborator, createCollaborator } from '../support/collaborators.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../support/mail-server.ts';
import { moveClock } from '../support/move-clock.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { EX, named } from './incidents-fixtures.ts';

/** Looked for every 20 ms, so that moving the clock is noticed at once. */
const RETRY_SCALE = 0.02;
const MINUTE_MS = 60_000;
const MAILS_PER_DAY = 100;
const PERSONAL = '/v1/account/notifications';

/** Mails to people about what concerns them (docs/contract/team-workflow.md 6.4). */
describe('personal messages', () => {
  let culprit: TestCulprit;
  let server: MailServer;
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
  afterEach(async () => await moveClock(culprit.database, 0));

  const ask = async (token: string, method: string, path: string, body?: object): Promise<Answer> =>
    await sendRequest(culprit.url + path, {
      method,
      token,
      json: body,
    });

  interface Stage {
    client: IncidentClient;
    owner: string;
    ada: Collaborator;
    ben: Collaborator;
    incidentId: string;
  }

  /** Two members who are mailed at once, and an incident. */
  async function stage(settings: object = { digest_minutes: 0 }): Promise<Stage> {
    const client = await connect(culprit, { name: 'Main App', plan: 'team' });
    const [ada, ben] = [
      await createCollaborator(culprit, client.project, 'member'),
      await createCollaborator(culprit, client.project, 'member'),
    ];
    for (const { memberToken } of [ada, ben]) await ask(memberToken, 'PATCH', PERSONAL, settings);
    await client.send(EX());
    const { incident_id: incidentId } = await client.only();
    return { client, owner: client.project.memberToken, ada, ben, incidentId };
  }

  const assign = async ({ incidentId }: Stage, token: string, assignee: object | null) =>
    await ask(token, 'PATCH', `/v1/incidents/${incidentId}`, { assignee });
  const note = async ({ incidentId }: Stage, token: string, body: string) =>
    await ask(token, 'POST', `/v1/incidents/${incidentId}/notes`, { body });
  const mailsTo = ({ email }: Collaborator) => server.received.filter(({ to }) => to.includes(email));
  const subjectsTo = (person: Collaborator) => mailsTo(person).map(({ mail }) => mail.subject);

  async function received(person: Collaborator, count: number): Promise<ReceivedMail> {
    return await eventually(() => {
      expect(subjectsTo(person)).toHaveLength(count);
      const mail = mailsTo(person).at(-1);
      if (mail === undefined) throw new Error('no mail');
      return mail;
    });
  }

  async function handleOf({ client, owner }: Stage, { userId }: Collaborator): Promise<string> {
    const { body } = await ask(owner, 'GET', `/v1/projects/${client.project.projectId}/people`);
    const { people } = body as { people: { user_id: string; handle: string }[] };
    return people.find(({ user_id: id }) => id === userId)?.handle ?? '';
  }

  it('tell a person of incidents that another person gave them, with a way to stop them', async () => {
    const at = await stage();
    await assign(at, at.owner, { user_id: at.ada.userId });
    const { mail } = await received(at.ada, 1);
    expect(mail.subject).toMatch(/^\[Main App\] Assigned to you: .+/);
    expect(mail.text).toContain(`/incidents/${at.incidentId}`);
    const header = mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    const token = new URL(header.replace(/[<>\s]/g, '')).searchParams.get('token') ?? '';
    expect(mail.text).toContain(token);
    // What a person does themselves is no news to them.
    await assign(at, at.ben.memberToken, { user_id: at.ben.userId });
    const unsubscribe = async (text: string) =>
      await sendRequest(`${culprit.url}${PERSONAL}/unsubscribe`, { body: JSON.stringify({ token: text }) });
    const [id = '', proof = ''] = token.split('.');
    for (const wrong of ['', 'x', id, `${at.ben.userId}.${proof}`, `${token}x`])
      expectProblem(await unsubscribe(wrong), 400, 'invalid_token');
    expect((await unsubscribe(token)).body).toEqual({ success: true });
    const off = { assigned: 'off', mentioned: 'off', own_regressed: 'off', own_woke: 'off', watched: 'off' };
    expect((await ask(at.ada.memberToken, 'GET', PERSONAL)).body).toEqual({
      notifications: { ...off, digest_minutes: 0, ntfy: null },
    });
    await assign(at, at.owner, { user_id: at.ada.userId });
    await assign(at, at.owner, { user_id: at.ben.userId });
    await received(at.ben, 1);
    expect(subjectsTo(at.ada)).toHaveLength(1);
  });

  it('tell those who watch of notes and regressions, until they stop or lose access', async () => {
    const at = await stage();
    const watch = `/v1/incidents/${at.incidentId}/watch`;
    const watched = async (token: string, method: string) => {
      const { status, body } = await ask(token, method, watch);
      expect(status).toBe(200);
      return (body as { watch: { is_watched: boolean; watchers: { user_id: string }[] } }).watch;
    };
    const ids = (people: Collaborator[]) =>
      people.map(({ userId }) => expect.objectContaining({ user_id: userId }));
    expect(await watched(at.ada.memberToken, 'GET')).toEqual({ is_watched: false, watchers: [] });
    for (const { memberToken } of [at.ada, at.ada, at.ben]) await watched(memberToken, 'POST');
    expect(await watched(at.owner, 'GET')).toEqual({ is_watched: false, watchers: ids([at.ada, at.ben]) });
    await note(at, at.ben.memberToken, 'seen with guests only');
    const { mail } = await received(at.ada, 1);
    expect(mail.subject).toMatch(/New note: /);
    expect(await watched(at.ada.memberToken, 'DELETE')).toEqual({
      is_watched: false,
      watchers: ids([at.ben]),
    });
    await at.client.resolve(at.incidentId);
    await at.client.send(EX());
    expect((await received(at.ben, 1)).mail.subject).toMatch(/Back again: /);
    expect(subjectsTo(at.ada)).toHaveLength(1);
    const foreign = await connect(culprit);
    expectProblem(await ask(foreign.project.memberToken, 'POST', watch), 404, 'incident_not_found');
  });

  it('go to the topic of a person too, until it is removed, without text of notes', async () => {
    const at = await stage();
    const phone = await startReceiver();
    const ntfy = { url: `${phone.url}/my-topic`, token: 'tk_secret_1234' };
    const set = async (change: object) => await ask(at.ada.memberToken, 'PATCH', PERSONAL, change);
    expect((await set({ ntfy })).body).toMatchObject({
      notifications: { ntfy: { url: ntfy.url, token: '***1234' } },
    });
    const stored = await culprit.database.query<{ ntfy: object }>(
      { name: 'test-ntfy', text: 'select ntfy from personal_settings where user_id = $1' },
      [at.ada.userId],
    );
    expect(JSON.stringify(stored)).not.toMatch(/tk_secret|my-topic/);
    expectProblem(await set({ ntfy: { url: `${phone.url}/` } }), 400, 'invalid_payload');
    expectProblem(await set({ ntfy: { ...ntfy, token: '***1234' } }), 400, 'invalid_payload');
    expectProblem(await set({ ntfy: { url: 'ftp://a.example/x' } }), 400, 'blocked_target');
    const handle = await handleOf(at, at.ada);
    await note(at, at.owner, `Look, @${handle}: the secret of the shop`);
    const [request] = await phone.received(1);
    expect(request?.headers.authorization).toBe(`Bearer ${ntfy.token}`);
    expect(request?.path).not.toContain('?');
    const body = String(request?.body);
    expect(JSON.parse(body)).toMatchObject({
      topic: 'my-topic',
      title: expect.stringMatching(/^\[Main App\] You were mentioned: /),
      message: expect.stringContaining('mentioned you in a note'),
      click: expect.stringContaining(`/incidents/${at.incidentId}`),
    });
    expect(body).not.toContain('secret of the shop');
    expect((await set({ ntfy: null })).body).toMatchObject({ notifications: { ntfy: null } });
    await note(at, at.owner, `Again @${handle}`);
    await received(at.ada, 2);
    expect(phone.requests).toHaveLength(1);
    await phone.stop();
  });

  it('tell everyone of a team but the person who did it', async () => {
    const at = await stage();
    const teams = `/v1/projects/${at.client.project.projectId}/teams`;
    const { body } = await ask(at.owner, 'POST', teams, { slug: 'both', name: 'Both' });
    const { team_id: teamId } = (body as { team: { team_id: string } }).team;
    for (const { userId } of [at.ada, at.ben])
      await ask(at.owner, 'POST', `${teams}/${teamId}/members/${userId}`);
    await assign(at, at.ada.memberToken, { team_id: teamId });
    await received(at.ben, 1);
    await note(at, at.ben.memberToken, 'hello @both');
    expect((await received(at.ada, 1)).mail.subject).toMatch(/You were mentioned: /);
    expect(subjectsTo(at.ben)).toHaveLength(1);
  });

  it('tell of notes to those whom they mention and who have the incident, once each', async () => {
    const at = await stage();
    const [ada, ben] = [await handleOf(at, at.ada), await handleOf(at, at.ben)];
    await assign(at, at.ada.memberToken, { user_id: at.ada.userId });
    const hostile = '<script>alert(1)</script> ![x](http://evil.example/x) [y](javascript:z) \u202egnp\u2066';
    await note(at, at.owner, `@${ada} and \`@${ben}\`: ${hostile}`);
    const { mail } = await received(at.ada, 1);
    expect(mail.subject).toMatch(/You were mentioned: /);
    expect(mail.html).toContain('&lt;script&gt;');
    expect(mail.html).toContain('![x](http://evil.example/x) [y](javascript:z)');
    expect(mail.html).not.toMatch(/<script|<img|href="(?:javascript|http:\/\/evil)/);
    expect(`${mail.html}${mail.text}`).not.toMatch(/[\u202e\u2066]/);
    const { body } = await note(at, at.owner, 'no mention');
    expect((await received(at.ada, 2)).mail.subject).toMatch(/New note: /);
    const { note_id: noteId } = (body as { note: { note_id: string } }).note;
    const path = `/v1/incidents/${at.incidentId}/notes/${noteId}`;
    await ask(at.owner, 'PATCH', path, { body: `@${ben}` });
    await received(at.ben, 1);
    await ask(at.owner, 'PATCH', path, { body: `@${ben} @${ada}` });
    await received(at.ada, 3);
    expect(subjectsTo(at.ben)).toHaveLength(1);
  });

  it('tell who has an incident when it regresses or wakes, and who snoozed it', async () => {
    const at = await stage();
    await assign(at, at.ada.memberToken, { user_id: at.ada.userId });
    await at.client.resolve(at.incidentId);
    await at.client.send(EX());
    expect((await received(at.ada, 1)).mail.subject).toMatch(/Back again: /);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const path = `/v1/incidents/${at.incidentId}`;
    await ask(at.ben.memberToken, 'POST', `${path}/snooze`, { until, for_occurrences: 1 });
    await at.client.send(EX());
    for (const [person, count] of [
      [at.ada, 2],
      [at.ben, 1],
    ] as const) {
      const { mail } = await received(person, count);
      expect(mail.subject).toMatch(/No longer snoozed: /);
      expect(mail.text).toContain('it reached the number of events that the snooze waited for');
    }
    // By hand: for no one.
    await ask(at.ben.memberToken, 'POST', `${path}/snooze`, { until });
    await ask(at.owner, 'POST', `${path}/wake`);
    await culprit.drain();
    expect([subjectsTo(at.ada).length, subjectsTo(at.ben).length]).toEqual([2, 1]);
  });

  it('tell that the time of a snooze is over to the person who snoozed it, if it kept something silent', async () => {
    const at = await stage();
    await assign(at, at.ada.memberToken, { user_id: at.ada.userId });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const sleep = async () => {
      const answer = await ask(at.ben.memberToken, 'POST', `/v1/incidents/${at.incidentId}/snooze`, {
        until,
      });
      expect(answer.status).toBe(200);
    };
    const wakes = async (count: number) => {
      await culprit.database.script(
        `update incidents set snoozed_until = culprit_now() where incident_id = '${parseId(['inc'], at.incidentId)}'`,
      );
      await eventually(async () => expect(await at.client.ledger('incident.woke')).toHaveLength(count));
      await culprit.drain();
    };
    await sleep();
    await wakes(1);
    expect([subjectsTo(at.ada), subjectsTo(at.ben)]).toEqual([[], []]);
    await sleep();
    await at.client.send(...Array.from({ length: 5 }, () => EX()));
    await at.client.only(6);
    await wakes(2);
    expect((await received(at.ben, 1)).mail.subject).toMatch(/No longer snoozed: /);
    expect(subjectsTo(at.ada)).toEqual([]);
  });

  it('wait for more that goes into the same mail, and never reach who lost access by then', async () => {
    const at = await stage({ digest_minutes: 5 });
    const [ada, ben] = [await handleOf(at, at.ada), await handleOf(at, at.ben)];
    await assign(at, at.owner, { user_id: at.ada.userId });
    await note(at, at.owner, `@${ada} @${ben} look`);
    const members = `/v1/projects/${at.client.project.projectId}/members`;
    await ask(at.owner, 'DELETE', `${members}/${at.ben.userId}`);
    await culprit.drain();
    expect(mailsTo(at.ada)).toEqual([]);
    await moveClock(culprit.database, 6 * MINUTE_MS);
    const { mail } = await received(at.ada, 1);
    expect(mail.subject).toMatch(/^\[Main App\] Assigned to you: .+ and 1 more$/);
    expect(mail.text).toContain('mentioned you in a note');
    await culprit.drain();
    expect(mailsTo(at.ben)).toEqual([]);
  });

  it('join one thread with the alerts of their incident, and none when they are about several', async () => {
    const at = await stage();
    const alerts = alertClient(culprit, at.client.project);
    await alerts.create({
      channel: 'email',
      condition_type: 'incident_regressed',
      config: { to: at.ada.email },
    });
    await assign(at, at.owner, { user_id: at.ada.userId });
    await received(at.ada, 1);
    await at.client.resolve(at.incidentId);
    await at.client.send(EX());
    await received(at.ada, 2);
    await alerts.reached([{ status: 'pending' }]);
    await moveClock(culprit.database, MINUTE_MS);
    await received(at.ada, 3);
    const threadsOf = (person: Collaborator, name: string) =>
      mailsTo(person).map(({ mail }) => mail.headers.find(({ key }) => key === name)?.value);
    const thread = `<${at.incidentId}@example.test>`;
    for (const name of ['references', 'in-reply-to'])
      expect(threadsOf(at.ada, name)).toEqual([thread, thread, thread]);
    expect(new Set(mailsTo(at.ada).map(({ mail }) => mail.messageId)).size).toBe(3);
    await ask(at.ben.memberToken, 'PATCH', PERSONAL, { digest_minutes: 5 });
    await at.client.send(named('Second'));
    const incident_ids = (await at.client.counted(2, 1)).map(({ incident_id }) => incident_id);
    await ask(at.owner, 'PATCH', '/v1/incidents', {
      incident_ids,
      set: { assignee: { user_id: at.ben.userId } },
    });
    await moveClock(culprit.database, 8 * MINUTE_MS);
    expect((await received(at.ben, 1)).mail.subject).toMatch(/ and 1 more$/);
    expect(threadsOf(at.ben, 'references')).toEqual([undefined]);
  });

  it('are left out where a person does not want them', async () => {
    const at = await stage();
    const set = (body: object) => ask(at.ada.memberToken, 'PATCH', PERSONAL, body);
    for (const wrong of [{}, { assigned: true }, { digest_minutes: 1441 }, { more: 'off' }])
      expectProblem(await set(wrong), 400, 'invalid_payload');
    const changed = await set({ assigned: 'off' });
    expect(changed.body).toMatchObject({ notifications: { assigned: 'off', mentioned: 'mail' } });
    await assign(at, at.owner, { user_id: at.ada.userId });
    await note(at, at.owner, 'a note');
    expect((await received(at.ada, 1)).mail.subject).toMatch(/New note: /);
  });

  it('end for a day after a hundred, with one that says so', async () => {
    const at = await stage();
    await culprit.database.query(
      {
        name: 'test-mailed-today',
        text: 'update personal_settings set mailed_on = culprit_now()::date, mails = $2 where user_id = $1',
      },
      [parseId([], at.ada.userId) ?? '', MAILS_PER_DAY - 1],
    );
    const again = async () => {
      await assign(at, at.owner, null);
      await assign(at, at.owner, { user_id: at.ada.userId });
    };
    await again();
    expect((await received(at.ada, 1)).mail.subject).toMatch(/Assigned to you: /);
    await again();
    expect((await received(at.ada, 2)).mail.subject).toBe('No more mails today');
    await again();
    await culprit.drain();
    expect(subjectsTo(at.ada)).toHaveLength(2);
    await moveClock(culprit.database, 24 * 60 * MINUTE_MS);
    await again();
    await received(at.ada, 3);
  });
});
