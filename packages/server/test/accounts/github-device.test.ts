import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { type Device, openDevice, personWith, plaintextIn, settingsFor } from '../support/github-client.ts';
import { type GithubMode, type GithubServer, startGithubServer } from '../support/github-server.ts';
import { moveClock } from '../support/move-clock.ts';
import { sendRequest } from '../support/send-events.ts';

const ASK = 'POST /login/oauth/access_token';

let github: GithubServer;
let culprit: TestCulprit;
let device: Device;
let passedMs = 0;
let nextPerson = 1;

beforeAll(async () => {
  github = await startGithubServer();
  culprit = await startCulprit({ hasWorker: false, github: settingsFor(github) });
  device = openDevice(culprit);
});
afterAll(async () => {
  await culprit?.stop();
  await github?.close();
});

/** Time goes on here and at GitHub. */
async function passTime(ms: number): Promise<void> {
  passedMs += ms;
  github.advance(ms);
  await moveClock(culprit.database, passedMs);
}

function addPerson(email = `device-${nextPerson}@example.test`): number {
  nextPerson += 1;
  github.addPerson(personWith(nextPerson, email));
  return nextPerson;
}

function timesAsked(): number {
  return github.requests.filter((request) => request === ASK).length;
}

async function approvedRequest(as = addPerson()): Promise<string> {
  const { requestId, userCode } = await device.start();
  github.answerDevice(userCode, { as });
  const { body } = await device.poll(requestId);
  expect(body).toMatchObject({ status: 'approved' });
  return requestId;
}

describe('polling', () => {
  it('asks GitHub at most once per interval, however often and however parallel it is done', async () => {
    const { requestId } = await device.start();
    const before = timesAsked();
    const polls = await Promise.all(Array.from({ length: 12 }, () => device.poll(requestId)));
    expect(polls.map(({ body }) => body)).toEqual(
      polls.map(() => expect.objectContaining({ status: 'pending', interval_seconds: 5 })),
    );
    expect(timesAsked()).toBe(before + 1);
    await passTime(4_000);
    await device.poll(requestId);
    expect(timesAsked()).toBe(before + 1);
    await passTime(1_000);
    await device.poll(requestId);
    expect(timesAsked()).toBe(before + 2);
    await passTime(60_000);
  });

  it('raises the interval when GitHub says slow_down, and asks later from then on', async () => {
    const { requestId, userCode } = await device.start();
    await device.poll(requestId);
    // Only our clock goes on, so that GitHub finds the next one early.
    passedMs += 5_000;
    await moveClock(culprit.database, passedMs);
    expect((await device.poll(requestId)).body).toMatchObject({ status: 'pending', interval_seconds: 10 });
    github.answerDevice(userCode, { as: addPerson() });
    const before = timesAsked();
    await passTime(9_000);
    expect((await device.poll(requestId)).body).toMatchObject({ status: 'pending', interval_seconds: 10 });
    expect(timesAsked()).toBe(before);
    await passTime(1_000);
    expect((await device.poll(requestId)).body).toMatchObject({ status: 'approved' });
    await passTime(60_000);
  });

  it('tells that the person refused', async () => {
    const { requestId, userCode } = await device.start();
    github.answerDevice(userCode, 'denies');
    const denied = { status: 'denied', reason: 'access_denied', expires_at: expect.any(String) };
    expect((await device.poll(requestId)).body).toEqual(denied);
    expect((await device.claim(requestId)).body).toEqual({ error: 'device_request_not_claimable' });
    await passTime(20 * 60_000);
    expect((await device.poll(requestId)).body).toEqual(denied);
  });

  it('tells that the time is over, of a request that waited and of one that was approved, until 24 hours later', async () => {
    const waiting = (await device.start()).requestId;
    const approved = await approvedRequest();
    const expired = { status: 'expired', reason: 'expired_token', expires_at: expect.any(String) };
    const before = timesAsked();
    await passTime(15 * 60_000);
    for (const requestId of [waiting, approved]) {
      expect((await device.poll(requestId)).body).toEqual(expired);
      expect((await device.claim(requestId)).body).toEqual({ error: 'device_request_not_claimable' });
    }
    expect(timesAsked()).toBe(before);
    await passTime(24 * 3_600_000 - 60_000);
    expect((await device.poll(waiting)).body).toEqual(expired);
    await passTime(60_000);
    for (const requestId of [waiting, approved]) {
      expect((await device.poll(requestId)).body).toEqual({ error: 'device_request_not_found' });
      expect((await device.claim(requestId)).body).toEqual({ error: 'device_request_not_found' });
    }
    await device.start();
    const [left] = await culprit.database.query<{ old: number }>({
      name: 'test-old-device-requests',
      text: `select count(*) as old from device_requests where expires_at <= culprit_now() - interval '24 h'`,
    });
    expect(left?.old).toBe(0);
  });

  it('takes the word of GitHub that a code is over', async () => {
    const { requestId } = await device.start();
    github.advance(15 * 60_000);
    expect((await device.poll(requestId)).body).toMatchObject({ status: 'expired' });
    passedMs += 15 * 60_000;
    await moveClock(culprit.database, passedMs);
  });

  it('is limited to 30 a minute for one client', async () => {
    await passTime(60_000);
    const unknown = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 31 }, () => device.poll(unknown)));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(30);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ error: 'rate_limited' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await passTime(60_000);
  });
});

describe('a person GitHub vouches for', () => {
  it('is rejected without a verified primary address', async () => {
    const person = addPerson();
    github.addPerson({
      id: person,
      emails: [
        { email: 'unverified@example.test', primary: true, verified: false },
        { email: 'second@example.test', primary: false, verified: true },
      ],
    });
    const { requestId, userCode } = await device.start();
    github.answerDevice(userCode, { as: person });
    expect((await device.poll(requestId)).body).toEqual({
      status: 'rejected',
      reason: 'github_email_missing',
      expires_at: expect.any(String),
    });
    expect((await device.claim(requestId)).body).toEqual({ error: 'device_request_not_claimable' });
  });

  it('is rejected with the address of an account that another GitHub id is linked to', async () => {
    await approvedRequest(addPerson('taken@example.test'));
    const { requestId, userCode } = await device.start();
    github.answerDevice(userCode, { as: addPerson('taken@example.test') });
    expect((await device.poll(requestId)).body).toMatchObject({
      status: 'rejected',
      reason: 'github_identity_conflict',
    });
  });

  it('is rejected where sign-up is closed, and leaves no account behind', async () => {
    const closed = await startCulprit({
      hasWorker: false,
      github: settingsFor(github),
      signIn: { signup: 'closed' },
    });
    try {
      const there = openDevice(closed);
      const { requestId, userCode } = await there.start();
      github.answerDevice(userCode, { as: addPerson() });
      expect((await there.poll(requestId)).body).toMatchObject({
        status: 'rejected',
        reason: 'signup_closed',
      });
      const [people] = await closed.database.query<{ count: number }>({
        name: 'test-people',
        text: 'select count(*) from users',
      });
      expect(people?.count).toBe(0);
    } finally {
      await closed.stop();
    }
  });
});

describe('a claim', () => {
  it('that meets the limit of 50 tokens leaves the request claimable', async () => {
    const person = addPerson();
    const token = plaintextIn(await device.claim(await approvedRequest(person)));
    const create = (label: string) =>
      sendRequest(`${culprit.url}/v1/member/tokens`, { token, body: JSON.stringify({ label }) });
    for (let made = 1; made < 50; made += 1) expect((await create(`t${made}`)).status).toBe(201);
    const requestId = await approvedRequest(person);
    expect((await device.claim(requestId)).body).toEqual({ error: 'resource_limit_reached' });
    const list = await sendRequest(`${culprit.url}/v1/member/tokens`, { method: 'GET', token });
    const [newest] = tokenIds(list.body);
    await sendRequest(`${culprit.url}/v1/member/tokens/${newest}/revoke`, { token, body: '{}' });
    expect((await device.claim(requestId)).status).toBe(200);
  });
});

describe('GitHub that cannot be used', () => {
  it.each(['cut', 'failing', 'silent', 'endless', 'garbage', 'over_limit'] satisfies GithubMode[])(
    'is 503 to start and to the poll that asks, and the flow goes on later (%s)',
    async (mode) => {
      const { requestId, userCode } = await device.start();
      github.setMode(mode);
      const start = await sendRequest(`${culprit.url}/v1/auth/github/device/start`, {
        body: '{"accepted_terms":true}',
      });
      const poll = await device.poll(requestId);
      for (const answer of [start, poll]) {
        expect([answer.status, answer.body]).toEqual([503, { error: 'github_unavailable' }]);
      }
      expect((await device.poll(requestId)).body).toMatchObject({ status: 'pending' });
      github.setMode('up');
      github.answerDevice(userCode, { as: addPerson() });
      await passTime(5_000);
      expect((await device.poll(requestId)).body).toMatchObject({ status: 'approved' });
    },
  );

  it('asks once more for the person when the connection breaks, for the code is used up', async () => {
    const { requestId, userCode } = await device.start();
    github.answerDevice(userCode, { as: addPerson() });
    github.breakNext('/api/v3/user');
    expect((await device.poll(requestId)).body).toMatchObject({ status: 'approved' });
  });

  it('ends the flow when the person cannot be read with the only token there is', async () => {
    const { requestId, userCode } = await device.start();
    github.answerDevice(userCode, { as: addPerson() });
    github.setMode('failing', '/api/v3/user');
    expect((await device.poll(requestId)).body).toEqual({ error: 'github_unavailable' });
    github.setMode('up');
    await passTime(5_000);
    expect((await device.poll(requestId)).body).toMatchObject({ status: 'expired' });
  });
});

function tokenIds(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('tokens' in body) || !Array.isArray(body.tokens)) {
    throw new Error(`no tokens: ${JSON.stringify(body)}`);
  }
  return body.tokens.map((token) => String(token.token_id));
}
