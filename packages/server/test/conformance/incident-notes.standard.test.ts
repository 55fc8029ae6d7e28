import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect } from '../support/incident-client.ts';
import { newAddress, signInAs } from '../support/people.ts';
import { readPages } from '../support/read-pages.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { tablesWith } from '../support/tables-with.ts';
import { webhookClient } from '../support/webhook-client.ts';
import { EX } from './incidents-fixtures.ts';

/** What people and agents write about incidents (docs/contract/team-workflow.md 4, 5.2). */
describe.concurrent('notes and fixes of an incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function withIncident(email = newAddress('owner')) {
    const client = await connect(culprit, { plan: 'team', email });
    await client.send(EX());
    const { incident_id: id } = await client.only();
    const member = await createCollaborator(culprit, client.project, 'member');
    const admin = await createCollaborator(culprit, client.project, 'admin');
    const ask = (token: string, method: string, path: string, body?: unknown, agent?: string) =>
      sendRequest(`${culprit.url}/v1/incidents/${id}/${path}`, {
        method,
        token,
        ...(agent === undefined ? {} : { headers: { 'user-agent': agent } }),
        json: body,
      });
    return { client, id, member, admin, owner: client.project.memberToken, ask };
  }

  function idIn({ body }: Answer, kind: 'note' | 'fix'): string {
    const record = isJsonObject(body) ? body[kind] : null;
    const id = isJsonObject(record) ? record[`${kind}_id`] : null;
    if (typeof id !== 'string') throw new Error(`no ${kind}: ${JSON.stringify(body)}`);
    return id;
  }

  it('and links are written once by repeats with one key, and again by another key or person', async () => {
    const { id, member, owner } = await withIncident();
    for (const [path, once, other, third] of [
      ['notes', { body: 'Once' }, { body: 'Other' }, { body: 'Third' }],
      ['fixes', ...['7', '8', '9'].map((n) => ({ url: `https://git.example/shop/pull/${n}` }))],
      ['links', ...['a', 'b', 'c'].map((n) => ({ url: `https://wiki.example.test/${n}` }))],
    ] as [string, object, object, object][]) {
      const ask = (token: string, key: string, json: object) =>
        sendRequest(`${culprit.url}/v1/incidents/${id}/${path}`, {
          ...{ method: 'POST', token, json },
          headers: { 'idempotency-key': key },
        });
      const [first, ...repeats] = await Promise.all([1, 2, 3].map(() => ask(owner, 'job 7', once)));
      for (const each of [first, ...repeats, await ask(owner, 'job 7', other)]) {
        expect(each).toMatchObject({ status: 201, body: first?.body });
      }
      expect((await ask(owner, 'job 8', other)).status).toBe(201);
      expect((await ask(member.memberToken, 'job 7', third)).status).toBe(201);
      const listed = await sendRequest(`${culprit.url}/v1/incidents/${id}/${path}`, {
        ...{ method: 'GET', token: owner },
      });
      expect(listed.body).toMatchObject({ [path]: [{}, {}, {}] });
      for (const key of ['', 'k'.repeat(65)])
        expectProblem(await ask(owner, key, once), 400, 'invalid_payload');
    }
  });

  it('are written, listed in order, and counted by the record; the history names them without their text', async () => {
    const { client, id, member, owner, ask } = await withIncident();
    const [person] = await culprit.database.query<{ handle: string }>(
      { name: 'test-handle', text: 'select handle from users where user_id = $1' },
      [member.userId],
    );
    const handle = person?.handle ?? '';
    const body = `Ask @${handle}, not @nobody-here. <script>alert(1)</script>`;
    const made = await ask(owner, 'POST', 'notes', { body }, 'culprit-cli/1.0');
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      note: {
        note_id: expect.any(String),
        incident_id: id,
        author: { user_id: client.project.userId, name: expect.any(String), email: expect.any(String) },
        via: 'cli',
        token_label: expect.any(String),
        body,
        mentions: [{ kind: 'user', id: member.userId, offset: 4, length: handle.length + 1 }],
        created_at: expect.any(String),
        edited_at: null,
        deleted_at: null,
      },
    });
    for (const text of ['two', 'three']) await ask(member.memberToken, 'POST', 'notes', { body: text });
    const listed = await readPages(client, `/v1/incidents/${id}/notes`, 'notes', 2);
    expect(listed).toMatchObject([{ body }, { body: 'two' }, { body: 'three', via: 'api' }]);
    expect((await client.read(id)).triage.notes).toBe(3);
    const [told] = await client.ledger('incident.noted');
    expect(told?.data).toMatchObject({ note_id: idIn(made, 'note'), via: 'cli' });
    expect(JSON.stringify(told)).not.toContain('nobody-here');
    // A handle may end as a sentence does: then the person who has it is meant, and no other.
    const rename = (token: string, wanted: string) =>
      sendRequest(`${culprit.url}/v1/account/profile`, {
        ...{ method: 'PATCH', token, body: JSON.stringify({ handle: wanted }) },
      });
    expect((await rename(owner, `${handle}_`)).status).toBe(200);
    const precise = await ask(owner, 'POST', 'notes', { body: `@${handle}_. @${handle}.` });
    expect(precise.body).toMatchObject({
      note: {
        mentions: [
          { id: client.project.userId, offset: 0, length: handle.length + 2 },
          { id: member.userId, length: handle.length + 1 },
        ],
      },
    });
    expect((await ask(owner, 'DELETE', `notes/${idIn(precise, 'note')}`)).status).toBe(200);
    // 17: a mention names the person, also after they rename their handle and another person takes it.
    expect((await rename(member.memberToken, `${handle}-new`)).status).toBe(200);
    expect((await rename(owner, handle)).status).toBe(200);
    const again = await ask(owner, 'GET', 'notes');
    const mention = { kind: 'user', id: member.userId, offset: 4, length: handle.length + 1 };
    expect(again.body).toMatchObject({ notes: [{ body, mentions: [mention] }, {}, {}, {}] });
  });

  it('are changed by their author alone, and deleted by the author or an admin', async () => {
    const { client, id, member, admin, owner, ask } = await withIncident();
    const noteId = idIn(await ask(member.memberToken, 'POST', 'notes', { body: 'a plan' }), 'note');
    for (const token of [owner, admin.memberToken])
      expectProblem(await ask(token, 'PATCH', `notes/${noteId}`, { body: 'x' }), 403, 'forbidden');
    const changed = await ask(member.memberToken, 'PATCH', `notes/${noteId}`, { body: 'another plan' });
    expect(changed.body).toMatchObject({ note: { body: 'another plan', edited_at: expect.any(String) } });
    const other = idIn(await ask(owner, 'POST', 'notes', { body: 'mine' }), 'note');
    expectProblem(await ask(member.memberToken, 'DELETE', `notes/${other}`), 403, 'forbidden');
    const gone = await ask(admin.memberToken, 'DELETE', `notes/${noteId}`);
    expect(gone.body).toMatchObject({ note: { body: null, mentions: [], deleted_at: expect.any(String) } });
    expectProblem(await ask(member.memberToken, 'DELETE', `notes/${noteId}`), 404, 'note_not_found');
    expectProblem(await ask(owner, 'PATCH', `notes/${noteId}`, { body: 'x' }), 404, 'note_not_found');
    expect((await client.read(id)).triage.notes).toBe(1);
    const left = await culprit.database.query(
      {
        name: 'test-note-text',
        text: `select 1 from incident_notes where body like '%another plan%' and note_id = $1`,
      },
      [noteId],
    );
    expect(left).toEqual([]);
  });

  it('leave their text nowhere once they are deleted: 26', async () => {
    const email = newAddress('writer');
    const { client, id, member, owner, ask } = await withIncident(email);
    const webhooks = webhookClient(culprit, client.project);
    const { webhook } = await webhooks.create('https://hooks.example.com/in', { events: ['incident.noted'] });
    const [first, second] = [newUuid(), newUuid()];
    const noteId = idIn(await ask(owner, 'POST', 'notes', { body: `${first} @all` }), 'note');
    await ask(owner, 'PATCH', `notes/${noteId}`, { body: second });
    const sent = await webhooks.delivery(webhook.webhook_id, { event_type: 'incident.noted' });
    const detail = () => client.get(`/v1/webhooks/${webhook.webhook_id}/deliveries/${sent.delivery_id}`);
    expect(JSON.stringify((await detail()).body)).toMatch(new RegExp(`${first}|${second}`));
    expect(await tablesWith(culprit, second)).toContain('incident_notes');

    expect((await ask(owner, 'DELETE', `notes/${noteId}`)).status).toBe(200);
    const { projectId } = client.project;
    const writer = await signInAs(culprit, email);
    const places = {
      delivery: await detail(),
      history: await client.get(`/v1/incidents/${id}/history?limit=100`),
      feed: await client.get(`/v1/lifecycle?project_id=${projectId}`),
      record: await ask(member.memberToken, 'GET', 'notes'),
      export: await writer.request('GET', '/v1/account/export'),
    };
    for (const [place, answer] of Object.entries(places))
      expect(JSON.stringify(answer), place).not.toMatch(new RegExp(`${first}|${second}`));
    for (const text of [first, second]) expect(await tablesWith(culprit, text)).toEqual([]);
  });

  it('are refused when they are empty, too long, too many, or of another incident', async () => {
    const { client, id, owner, ask } = await withIncident();
    for (const body of [
      {},
      { body: '' },
      { body: ' \n' },
      { body: 'x'.repeat(10_001) },
      { body: 'x', more: 1 },
    ])
      expectProblem(await ask(owner, 'POST', 'notes', body), 400, 'invalid_payload');
    const noteId = idIn(await ask(owner, 'POST', 'notes', { body: 'x' }), 'note');
    const other = await withIncident();
    expectProblem(await other.ask(other.owner, 'DELETE', `notes/${noteId}`), 404, 'note_not_found');
    await culprit.database.query(
      {
        name: 'test-many-notes',
        text: `insert into incident_notes (note_id, project_id, incident_id, author_user_id, via, body, created_at)
          select gen_random_uuid(), project_id, incident_id, gen_random_uuid(), via, body, created_at
          from incident_notes, generate_series(1, 497) where note_id = $1`,
      },
      [noteId],
    );
    // Several at once find room for two.
    const sent = await Promise.all(
      Array.from({ length: 5 }, () => ask(owner, 'POST', 'notes', { body: 'x' })),
    );
    expect(sent.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409]);
    expectProblem(await ask(owner, 'POST', 'notes', { body: 'x' }), 409, 'resource_limit_reached');
    expect((await client.read(id)).triage.notes).toBe(500);
  });

  it('are at most sixty in a minute from one person', async () => {
    const { owner, ask } = await withIncident();
    const noteId = idIn(await ask(owner, 'POST', 'notes', { body: 'x' }), 'note');
    await culprit.database.query(
      {
        name: 'test-quick-notes',
        text: `insert into incident_notes (note_id, project_id, incident_id, author_user_id, via, body)
          select gen_random_uuid(), project_id, incident_id, author_user_id, via, body
          from incident_notes, generate_series(1, 59) where note_id = $1`,
      },
      [noteId],
    );
    expectProblem(await ask(owner, 'POST', 'notes', { body: 'x' }), 429, 'rate_limited');
  });

  it('have up to fifty fixes with their verdict, newest first, which are deleted like notes', async () => {
    const { client, member, admin, owner, ask } = await withIncident();
    const fix = {
      url: 'https://git.example/shop/pull/12',
      commit_sha: '6E3EF9E1',
      summary: 'Guards the coupon',
      verification: { verdict: 'not_reproduced', expected_status: 200 },
    };
    const made = await ask(owner, 'POST', 'fixes', fix, 'culprit-mcp/1.0');
    expect(made.body).toMatchObject({
      fix: {
        ...fix,
        commit_sha: '6e3ef9e1',
        release: null,
        via: 'mcp',
        author: { user_id: client.project.userId },
      },
    });
    expect(await client.ledger('incident.fix_proposed')).toMatchObject([
      { data: { fix_id: idIn(made, 'fix'), text: fix.url } },
    ]);
    for (const url of [
      'http://git.example/1',
      'javascript:alert(1)',
      'https://user:pass@git.example/1',
      'https://',
    ])
      expectProblem(await ask(owner, 'POST', 'fixes', { url }), 400, 'invalid_payload');
    for (const more of [
      { summary: 'x'.repeat(501) },
      { commit_sha: 'main' },
      { verification: { verdict: 'unclear', log: 'x'.repeat(4097) } },
    ])
      expectProblem(await ask(owner, 'POST', 'fixes', { url: fix.url, ...more }), 400, 'invalid_payload');
    const newer = await ask(member.memberToken, 'POST', 'fixes', { url: 'https://git.example/shop/pull/14' });
    const fixId = idIn(made, 'fix');
    expect((await ask(owner, 'GET', 'fixes')).body).toMatchObject({
      fixes: [{ fix_id: idIn(newer, 'fix') }, { fix_id: fixId }],
    });
    expect((await ask(admin.memberToken, 'DELETE', `fixes/${idIn(newer, 'fix')}`)).status).toBe(200);
    expectProblem(await ask(member.memberToken, 'DELETE', `fixes/${fixId}`), 403, 'forbidden');
    expect((await ask(owner, 'DELETE', `fixes/${fixId}`)).status).toBe(200);
    expect((await ask(owner, 'GET', 'fixes')).body).toEqual({ fixes: [] });
    expectProblem(await ask(owner, 'DELETE', `fixes/${fixId}`), 404, 'fix_not_found');
    const last = idIn(await ask(owner, 'POST', 'fixes', { url: fix.url }), 'fix');
    await culprit.database.query(
      {
        name: 'test-many-fixes',
        text: `insert into incident_fixes (fix_id, project_id, incident_id, author_user_id, via, url)
          select gen_random_uuid(), project_id, incident_id, author_user_id, via, url
          from incident_fixes, generate_series(1, 48) where fix_id = $1`,
      },
      [last],
    );
    const sent = await Promise.all([1, 2, 3].map(() => ask(owner, 'POST', 'fixes', { url: fix.url })));
    expect(sent.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    expectProblem(await ask(owner, 'POST', 'fixes', { url: fix.url }), 409, 'resource_limit_reached');
  });

  it('leave the bundle of the incident as it was, like every other decision', async () => {
    const { client, id, owner, ask } = await withIncident();
    const before = await client.bundle(id);
    await client.settled();
    await ask(owner, 'POST', 'notes', { body: 'x' });
    await ask(owner, 'POST', 'fixes', { url: 'https://git.example/shop/pull/13' });
    await ask(owner, 'POST', 'links', { url: 'https://wiki.example/outage' });
    await ask(owner, 'POST', 'watch');
    await ask(owner, 'POST', 'snooze', { until: new Date(Date.now() + 3_600_000).toISOString() });
    await sendRequest(`${culprit.url}/v1/incidents/${id}`, {
      method: 'PATCH',
      token: owner,
      body: JSON.stringify({ priority: 'urgent', assignee: { user_id: client.project.userId } }),
    });
    await client.settled();
    expect(JSON.stringify(await client.bundle(id))).toBe(JSON.stringify(before));
  });
});
