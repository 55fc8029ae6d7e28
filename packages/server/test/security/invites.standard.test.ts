// Proves 46.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { mailsTo } from '../support/mailbox.ts';
import { accept, allMailSent, invite, join, newAddress, type Person, signInAs } from '../support/people.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';

/** Invites crossed, repeated and at the same moment (reliability 46): what must not succeed does not, once in all tries. */

let culprit: TestCulprit;
let owner: Person;
let projectId: string;

beforeAll(async () => {
  culprit = await startCulprit({ duties: [] });
  const email = newAddress('owner');
  ({ projectId } = await culprit.createProject({ email }));
  owner = await signInAs(culprit, email);
});
afterAll(() => culprit.stop());

const INVALID_TOKEN = { status: 400, body: { error: 'invalid_token' } };

async function newProject(): Promise<string> {
  return (await culprit.createProject({ email: owner.email, name: newAddress('p') })).projectId;
}

async function newPerson(): Promise<Person> {
  return await signInAs(culprit, newAddress());
}

function places(project: string, person: Person): Promise<number> {
  const place = 'project_members where project_id = $1 and user_id = $2';
  return countRows(culprit, place, [parseId(['proj'], project), person.userId]);
}

function statusesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status).sort();
}

describe('crossed', () => {
  it('an invite lets in the person it names and nobody else', async () => {
    const people = [await newPerson(), await newPerson(), await newPerson()];
    const tokens = [];
    for (const { email } of people) tokens.push((await invite(culprit, owner, projectId, email)).token);
    for (const [at, person] of people.entries()) {
      for (const [index, token] of tokens.entries()) {
        if (index === at) continue;
        expect(await accept(person, token)).toMatchObject({
          status: 403,
          body: { error: 'invite_email_mismatch' },
        });
      }
      expect(await places(projectId, person)).toBe(0);
    }
    for (const [at, person] of people.entries()) {
      expect((await accept(person, tokens[at] ?? '')).status).toBe(200);
      expect(await places(projectId, person)).toBe(1);
    }
  });

  it('an invite opens its own project with its own role, whatever else the body asks for', async () => {
    const person = await newPerson();
    const other = await newProject();
    const { token } = await invite(culprit, owner, projectId, person.email, 'member');
    for (const more of [{ role: 'admin' }, { project_id: other }, { email: owner.email }]) {
      expect(
        await person.request('POST', '/v1/auth/project-invite/accept', { token, ...more }),
      ).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
    }
    expect(await accept(person, token)).toMatchObject({ body: { membership: { role: 'member' } } });
    expect([await places(projectId, person), await places(other, person)]).toEqual([1, 0]);
  });

  it('nothing that resembles a token is one: its hash, its id, other spellings, other secrets', async () => {
    const person = await newPerson();
    const { invite: made, token } = await invite(culprit, owner, projectId, person.email);
    const [row] = await culprit.database.query<{ hash: string }>(
      {
        name: 'test-invite-hash',
        text: `select encode(token_hash, 'hex') as hash from project_invites where invite_id = $1`,
      },
      [made.invite_id],
    );
    const secret = token.slice('svc_invite_'.length);
    const flipped = [...token]
      .map((letter, at) => (at === 20 ? (letter === 'a' ? 'b' : 'a') : letter))
      .join('');
    const attempts = [
      row?.hash ?? '',
      made.invite_id,
      secret,
      `svc_proj_${secret}`,
      `svc_mem_${secret}`,
      ` ${token}`,
      `${token}\n`,
      `${token}\u200b`,
      token.toUpperCase(),
      encodeURIComponent(`${token} `),
      `${token}${token}`,
      flipped,
    ];
    for (const attempt of attempts) expect(await accept(person, attempt)).toMatchObject(INVALID_TOKEN);
    expect(await places(projectId, person)).toBe(0);
    expect((await accept(person, token)).status).toBe(200);
  });

  it('the link alone, a bearer token, or a cookie without the CSRF token lets nobody in', async () => {
    const person = await newPerson();
    const { token } = await invite(culprit, owner, projectId, person.email);
    const made = await person.request('POST', '/v1/member/tokens', { label: 'x' });
    const memberToken = /"plaintext":"([^"]+)"/.exec(JSON.stringify(made.body))?.[1] ?? '';
    const url = `${culprit.url}/v1/auth/project-invite/accept`;
    const body = JSON.stringify({ token });
    const cookie = person.headers.cookie ?? '';
    const invalidSession = { status: 401, body: { error: 'invalid_session' } };
    const invalidCsrf = { status: 403, body: { error: 'invalid_csrf_token' } };
    expect(await sendRequest(url, { body })).toMatchObject(invalidSession);
    expect(await sendRequest(url, { body, token: memberToken })).toMatchObject(invalidSession);
    // The bearer token alone decides, and it is of the wrong kind here.
    expect(await sendRequest(url, { body, token: memberToken, headers: person.headers })).toMatchObject(
      invalidSession,
    );
    expect(await sendRequest(url, { body, headers: { cookie } })).toMatchObject(invalidCsrf);
    const fromElsewhere = { ...person.headers, origin: 'https://evil.test' };
    expect(await sendRequest(url, { body, headers: fromElsewhere })).toMatchObject(invalidCsrf);
    expect(await places(projectId, person)).toBe(0);
  });

  it('owners and admins of another project see, cancel and change nothing', async () => {
    const foreign = await newPerson();
    const own = (await culprit.createProject({ email: foreign.email })).projectId;
    const member = await join(culprit, owner, projectId, 'member');
    const { invite: made, token } = await invite(culprit, owner, projectId, newAddress());
    const calls: [string, string, object?][] = [
      ['DELETE', `/v1/projects/${projectId}/invites/${made.invite_id}`],
      ['DELETE', `/v1/projects/${own}/invites/${made.invite_id}`],
      ['GET', `/v1/projects/${projectId}/members`],
      ['GET', `/v1/projects/${projectId}/invites`],
      ['PATCH', `/v1/projects/${projectId}/members/${member.userId}`, { role: 'admin' }],
      ['PATCH', `/v1/projects/${own}/members/${member.userId}`, { role: 'admin' }],
      ['DELETE', `/v1/projects/${projectId}/members/${member.userId}`],
      ['DELETE', `/v1/projects/${own}/members/${member.userId}`],
      ['POST', `/v1/projects/${projectId}/invite`, { email: foreign.email, role: 'admin' }],
    ];
    for (const [method, path, body] of calls) {
      expect((await foreign.request(method, path, body)).status).toBe(404);
    }
    expect(await places(projectId, member)).toBe(1);
    const invited = await signInAs(culprit, made.email);
    expect((await accept(invited, token)).status).toBe(200);
  });
});

describe('repeated', () => {
  it('an invite is good for one acceptance, also after the person was removed', async () => {
    const person = await newPerson();
    const { token } = await invite(culprit, owner, projectId, person.email, 'admin');
    expect((await accept(person, token)).status).toBe(200);
    for (let turn = 0; turn < 5; turn += 1) expect(await accept(person, token)).toMatchObject(INVALID_TOKEN);
    await owner.request('DELETE', `/v1/projects/${projectId}/members/${person.userId}`);
    expect(await accept(person, token)).toMatchObject(INVALID_TOKEN);
    expect(await places(projectId, person)).toBe(0);
  });

  it('a canceled invite stays canceled when the address is invited again', async () => {
    const person = await newPerson();
    const first = await invite(culprit, owner, projectId, person.email, 'admin');
    await owner.request('DELETE', `/v1/projects/${projectId}/invites/${first.invite.invite_id}`);
    const second = await invite(culprit, owner, projectId, person.email, 'member');
    expect(await accept(person, first.token)).toMatchObject(INVALID_TOKEN);
    expect(await accept(person, second.token)).toMatchObject({ body: { membership: { role: 'member' } } });
  });
});

describe('at the same moment', () => {
  it('of twenty acceptances from two browsers one succeeds', async () => {
    const person = await newPerson();
    const secondBrowser = await signInAs(culprit, person.email);
    for (let round = 0; round < 3; round += 1) {
      const project = await newProject();
      const { token } = await invite(culprit, owner, project, person.email);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => accept(at % 2 === 0 ? person : secondBrowser, token)),
      );
      expect(statusesOf(answers)).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
      expect(await places(project, person)).toBe(1);
      const trail = `audit_log where action = 'invite.accepted' and project_id = $1`;
      expect(await countRows(culprit, trail, [parseId(['proj'], project)])).toBe(1);
    }
  });

  it('either the acceptance or the cancellation wins, never both and never neither', async () => {
    const outcomes = new Set<string>();
    const person = await newPerson();
    for (let round = 0; round < 12; round += 1) {
      const project = await newProject();
      const { invite: made, token } = await invite(culprit, owner, project, person.email);
      const cancel = () => owner.request('DELETE', `/v1/projects/${project}/invites/${made.invite_id}`);
      const [accepted, canceled] = await Promise.all([accept(person, token), cancel()]);
      outcomes.add(`${accepted.status} ${canceled.status}`);
      expect(await places(project, person)).toBe(accepted.status === 200 ? 1 : 0);
    }
    for (const outcome of outcomes) expect(['200 404', '400 200']).toContain(outcome);
  });

  it('of ten invites to one address one is made and one is mailed', async () => {
    const email = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => owner.request('POST', `/v1/projects/${projectId}/invite`, { email })),
    );
    expect(statusesOf(answers)).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    await allMailSent(culprit);
    expect(await mailsTo(culprit.mailDirectory, email)).toHaveLength(1);
  });

  it('the last place of a project is given away once', async () => {
    const project = await newProject();
    await culprit.database.query(
      {
        name: 'test-many-invites',
        text: `insert into project_invites (invite_id, project_id, email, role, token_hash, invited_by_user_id, expires_at)
          select gen_random_uuid(), $1, gen_random_uuid() || '@many.test', 'member',
            sha256(gen_random_uuid()::text::bytea), $2, culprit_now() + interval '1 day'
          from generate_series(1, 499)`,
      },
      [parseId(['proj'], project), owner.userId],
    );
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        owner.request('POST', `/v1/projects/${project}/invite`, { email: newAddress() }),
      ),
    );
    expect(statusesOf(answers)).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('the project is not left without its owner, whatever its admins try together', async () => {
    const project = await newProject();
    const admins = [
      await join(culprit, owner, project, 'admin'),
      await join(culprit, owner, project, 'admin'),
    ];
    const target = `/v1/projects/${project}/members/${owner.userId}`;
    const answers = await Promise.all(
      admins.flatMap((admin) => [
        admin.request('PATCH', target, { role: 'member' }),
        admin.request('DELETE', target),
        owner.request('DELETE', `/v1/projects/${project}/membership`),
      ]),
    );
    expect(statusesOf(answers)).toEqual([409, 409, 409, 409, 409, 409]);
    // Two admins remove each other: at most one of the two requests comes too late to be an admin's.
    const [one, two] = admins;
    if (one === undefined || two === undefined) throw new Error('two admins');
    const duel = await Promise.all([
      one.request('DELETE', `/v1/projects/${project}/members/${two.userId}`),
      two.request('DELETE', `/v1/projects/${project}/members/${one.userId}`),
    ]);
    expect(duel.some(({ status }) => status === 200)).toBe(true);
    expect(duel.every(({ status }) => status === 200 || status === 404)).toBe(true);
    expect(await places(project, owner)).toBe(1);
  });

  it('a project that is deleted meanwhile gives no place', async () => {
    for (let round = 0; round < 6; round += 1) {
      const project = await newProject();
      const person = await newPerson();
      const { token } = await invite(culprit, owner, project, person.email);
      const [accepted, deleted] = await Promise.all([
        accept(person, token),
        owner.request('DELETE', `/v1/projects/${project}`),
      ]);
      expect(deleted.status).toBe(200);
      expect([200, 400]).toContain(accepted.status);
      expect((await person.request('GET', `/v1/projects/${project}`)).status).toBe(404);
    }
  });
});

describe('of somebody who may no longer invite', () => {
  /** Whom the list of open invites names. */
  async function openAddresses(): Promise<string[]> {
    const { body } = await owner.request('GET', `/v1/projects/${projectId}/invites?limit=100`);
    return [...JSON.stringify(body).matchAll(/"email":"([^"]+)"/g)].map(([, email]) => email ?? '');
  }

  const memberPath = (person: Person) => `/v1/projects/${projectId}/members/${person.userId}`;
  const rights: readonly [how: string, lose: (admin: Person) => Promise<unknown>][] = [
    ['was made a member', (admin) => owner.request('PATCH', memberPath(admin), { role: 'member' })],
    ['was removed', (admin) => owner.request('DELETE', memberPath(admin))],
    ['left', (admin) => admin.request('DELETE', `/v1/projects/${projectId}/membership`)],
    [
      'lost the role without a request',
      (admin) =>
        culprit.database.query(
          {
            name: 'test-role-lost',
            text: `update project_members set role = 'member' where project_id = $1 and user_id = $2`,
          },
          [parseId(['proj'], projectId) ?? '', admin.userId],
        ),
    ],
  ];
  it.each(rights)('who %s, an invite grants nothing and is not open', async (_how, lose) => {
    const admin = await join(culprit, owner, projectId, 'admin');
    const person = await newPerson();
    const { invite: made, token } = await invite(culprit, admin, projectId, person.email, 'admin');
    expect(await openAddresses()).toContain(person.email);
    await lose(admin);
    expect(await openAddresses()).not.toContain(person.email);
    expect(await accept(person, token)).toMatchObject(INVALID_TOKEN);
    expect(await places(projectId, person)).toBe(0);
    expect(
      await owner.request('DELETE', `/v1/projects/${projectId}/invites/${made.invite_id}`),
    ).toMatchObject({ status: 404, body: { error: 'invite_not_found' } });
    // Others may invite the same address again.
    const again = await invite(culprit, owner, projectId, person.email, 'member');
    expect(await accept(person, again.token)).toMatchObject({ body: { membership: { role: 'member' } } });
  });

  it.each(['member', 'removed'])(
    'an invite does not come back with the role (%s in between)',
    async (between) => {
      const admin = await join(culprit, owner, projectId, 'admin');
      const person = await newPerson();
      const { token } = await invite(culprit, admin, projectId, person.email, 'admin');
      if (between === 'member') {
        await owner.request('PATCH', memberPath(admin), { role: 'member' });
        await owner.request('PATCH', memberPath(admin), { role: 'admin' });
      } else {
        await owner.request('DELETE', memberPath(admin));
        const back = await invite(culprit, owner, projectId, admin.email, 'admin');
        expect((await accept(admin, back.token)).status).toBe(200);
      }
      expect(await accept(person, token)).toMatchObject(INVALID_TOKEN);
      expect(await places(projectId, person)).toBe(0);
    },
  );

  it('an admin who keeps the role keeps the invites', async () => {
    const admin = await join(culprit, owner, projectId, 'admin');
    const person = await newPerson();
    const { token } = await invite(culprit, admin, projectId, person.email, 'admin');
    await owner.request('PATCH', memberPath(admin), { role: 'admin' });
    expect(await accept(person, token)).toMatchObject({ body: { membership: { role: 'admin' } } });
  });

  it('an acceptance and a removal at the same moment leave an invite that is used or dead', async () => {
    for (let round = 0; round < 6; round += 1) {
      const admin = await join(culprit, owner, projectId, 'admin');
      const person = await newPerson();
      const { token } = await invite(culprit, admin, projectId, person.email);
      const [accepted, removed] = await Promise.all([
        accept(person, token),
        owner.request('DELETE', memberPath(admin)),
      ]);
      expect(removed.status).toBe(200);
      expect([200, 400]).toContain(accepted.status);
      expect(await places(projectId, person)).toBe(accepted.status === 200 ? 1 : 0);
      expect(await accept(person, token)).toMatchObject(INVALID_TOKEN);
    }
  });
});
