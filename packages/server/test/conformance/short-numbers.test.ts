import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, HOUR, named } from './incidents-fixtures.ts';

/** Short numbers of incidents (docs/contract/team-workflow.md 0.2). */
describe.concurrent('the short number of an incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const ask = async (token: string, method: string, path: string, body?: object): Promise<Answer> =>
    await sendRequest(culprit.url + path, {
      method,
      token,
      json: body,
    });

  const setKey = async ({ project }: IncidentClient, key: string) =>
    await ask(project.memberToken, 'PATCH', `/v1/projects/${project.projectId}`, { incident_key: key });

  /** A key that no other test has. */
  const newKey = () => `K${randomBytes(4).toString('hex').toUpperCase()}`;

  /** The number by the first word of the title. */
  async function numbersOf(client: IncidentClient): Promise<Record<string, string>> {
    const incidents = await client.list({});
    return Object.fromEntries(
      incidents.map(({ title, short_id }) => [title.replace(/Error:.*/, ''), short_id ?? '']),
    );
  }

  it('counts the incidents of its project in the order in which they were seen, and never changes', async () => {
    const client = await connect(culprit);
    const key = newKey();
    expect((await setKey(client, key)).status).toBe(200);
    await client.send(
      named('Second', { timestamp: ago(HOUR) }),
      named('First', { timestamp: ago(2 * HOUR) }),
    );
    await client.counted(1, 1);
    await client.send(named('Third'), named('First'));
    await client.counted(2, 1, 1);
    expect(await numbersOf(client)).toEqual({ First: `${key}-1`, Second: `${key}-2`, Third: `${key}-3` });
  });

  it('stands for the id in paths, bodies and queries, in any case', async () => {
    const client = await connect(culprit);
    const key = newKey();
    await setKey(client, key);
    await client.send(named('Payment'), named('Cart'));
    await client.counted(1, 1);
    const number = (await numbersOf(client)).Cart ?? '';
    const { memberToken } = client.project;
    for (const written of [number, number.toLowerCase()]) {
      const { body } = await ask(memberToken, 'GET', `/v1/incidents/${written}`);
      expect(body).toMatchObject({ incident: { short_id: number, title: expect.stringMatching(/^Cart/) } });
      expect(await client.list({ q: written })).toHaveLength(1);
      expect(await client.list({ q: `id:${written}` })).toHaveLength(1);
    }
    const ids = [number, (await client.list({ q: number }))[0]?.incident_id];
    const { body } = await ask(memberToken, 'POST', '/v1/incidents/resolve', { incident_ids: ids });
    expect(body).toMatchObject({ incidents: [{ short_id: number, status: 'resolved' }] });
    for (const other of [`${key}-99`, `${key}-0`, `${key}-${'9'.repeat(30)}`, 'UTF-8']) {
      expectProblem(await ask(memberToken, 'GET', `/v1/incidents/${other}`), 404, 'incident_not_found');
    }
  });

  it('leads strangers nowhere, and people of the project to the incident', async () => {
    const [client, stranger] = [await connect(culprit, { plan: 'team' }), await connect(culprit)];
    const key = newKey();
    await setKey(client, key);
    await client.send(named('Payment'));
    await client.only();
    const path = `/v1/incidents/${key}-1`;
    expectProblem(await ask(stranger.project.memberToken, 'GET', path), 404, 'incident_not_found');
    expect(await stranger.list({ q: `${key}-1` })).toEqual([]);
    const member = await createCollaborator(culprit, client.project, 'member');
    expect((await ask(member.memberToken, 'GET', path)).status).toBe(200);
  });

  it('is found by an earlier key, until another project of the person has that key', async () => {
    const client = await connect(culprit);
    const [key, next] = [newKey(), newKey()];
    await setKey(client, key);
    await client.send(named('Payment'));
    const { incident_id: id } = await client.only();
    await setKey(client, next);
    const { memberToken } = client.project;
    const read = async (number: string) => (await ask(memberToken, 'GET', `/v1/incidents/${number}`)).body;
    expect(await read(`${key}-1`)).toMatchObject({ incident: { incident_id: id, short_id: `${next}-1` } });
    expect(await client.list({ q: `${key}-1` })).toHaveLength(1);
    const { body } = await ask(memberToken, 'POST', '/v1/projects', { name: 'Other' });
    expect(body).toMatchObject({ project: { incident_key: expect.stringMatching(/^OTHER\w*$/) } });
    const other = await connect(culprit);
    expectProblem(await setKey(other, next), 409, 'incident_key_taken');
    expect((await setKey(other, key)).status).toBe(200);
    // A stranger's project with the earlier key takes nothing from its people.
    expect(await read(`${key}-1`)).toMatchObject({ incident: { incident_id: id } });
    for (const bad of ['A', 'lower', '1ABC', 'WITH-LINE', 'ABCDEFGHIJK', '']) {
      expectProblem(await setKey(client, bad), 400, 'invalid_payload');
    }
  });

  it('is given once for each of many incidents that open at the same time', async () => {
    const client = await connect(culprit);
    const words = Array.from({ length: 24 }, (_, n) => `W${String.fromCharCode(97 + n)}x`);
    await Promise.all(words.map(async (word) => await client.send(named(word))));
    await client.counted(...words.map(() => 1));
    const numbers = (await client.list({ limit: '100' })).map(({ short_id }) => short_id?.split('-')[1]);
    expect(new Set(numbers).size).toBe(words.length);
  });

  it('begins with the first word of a long slug, and differs where another project has it', async () => {
    const { project } = await connect(culprit);
    const made = async (slug: string) => {
      const { body } = await ask(project.memberToken, 'POST', '/v1/projects', { name: slug, slug });
      return (body as { project: { incident_key: string } }).project.incident_key;
    };
    const word = newKey().toLowerCase();
    expect(await made(`${word}-of-the-whole-company`)).toBe(word.toUpperCase());
    const second = await made(`${word}-of-another-company`);
    expect(second).toMatch(/^[A-Z][A-Z0-9]{1,9}$/);
    expect(second).not.toBe(word.toUpperCase());
    for (const slug of ['7', '99-problems', 'x']) {
      expect(await made(slug)).toMatch(/^[A-Z][A-Z0-9]{1,9}$/);
    }
  });
});
