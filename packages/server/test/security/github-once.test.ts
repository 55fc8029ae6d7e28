// Proves 46.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locationOf } from '../support/cookie-browser.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import {
  type Browser,
  type Device,
  openBrowser,
  openDevice,
  personWith,
  settingsFor,
} from '../support/github-client.ts';
import { type GithubServer, startGithubServer } from '../support/github-server.ts';

/** Browsers, devices and parallel attempts of each story. */
const MANY = 8;
const ACCESS_TOKEN = 'POST /login/oauth/access_token';

let github: GithubServer;
let culprit: TestCulprit;
let device: Device;

beforeAll(async () => {
  github = await startGithubServer();
  culprit = await startCulprit({ hasWorker: false, github: settingsFor(github) });
  device = openDevice(culprit);
  for (let id = 1; id <= MANY; id += 1) github.addPerson(personWith(id, `person-${id}@example.test`));
});
afterAll(async () => {
  await culprit?.stop();
  await github?.close();
});

async function countRows(table: 'sessions' | 'member_tokens' | 'users'): Promise<number> {
  const [row] = await culprit.database.query<{ count: number }>({
    name: `test-count-${table}`,
    text: `select count(*) from ${table}`,
  });
  return row?.count ?? -1;
}

function timesExchanged(): number {
  return github.requests.filter((request) => request === ACCESS_TOKEN).length;
}

/** A browser that came back from GitHub, as the person of that number. */
async function visited(as: number): Promise<{ browser: Browser; callback: string }> {
  const browser = openBrowser(culprit, github);
  return { browser, callback: await github.visit(await browser.start(), { as }) };
}

/** The same browser a second time, for requests that leave at the same moment. */
function copyOf({ cookies }: Browser): Browser {
  const copy = openBrowser(culprit, github);
  for (const [name, value] of cookies) copy.cookies.set(name, value);
  return copy;
}

describe('a browser sign-in', () => {
  it('never succeeds with the state of another browser, and each still does with its own', async () => {
    const flows = await Promise.all(Array.from({ length: MANY }, (_, index) => visited(index + 1)));
    const [before, exchanged] = [await countRows('sessions'), timesExchanged()];
    const crossed = flows.flatMap(({ browser }, mine) =>
      flows.filter((_, theirs) => theirs !== mine).map(({ callback }) => copyOf(browser).callback(callback)),
    );
    const answers = await Promise.all(crossed);
    expect(answers).toHaveLength(MANY * (MANY - 1));
    expect(answers.filter(({ status }) => status !== 400)).toEqual([]);
    expect(await countRows('sessions')).toBe(before);
    expect(timesExchanged()).toBe(exchanged);

    const own = await Promise.all(flows.map(({ browser, callback }) => browser.callback(callback)));
    expect(own.map(locationOf)).toEqual(flows.map(() => 'http://localhost:4800/'));
    const emails = await Promise.all(flows.map(async ({ browser }) => (await browser.session())?.email));
    expect(emails).toEqual(flows.map((_, index) => `person-${index + 1}@example.test`));
  });

  it('never succeeds with a code of another browser under its own state', async () => {
    const flows = await Promise.all(Array.from({ length: MANY }, (_, index) => visited(index + 1)));
    const before = await countRows('sessions');
    const codes = flows.map(({ callback }) => new URL(callback).searchParams.get('code') ?? '');
    const answers = await Promise.all(
      flows.map(({ browser, callback }, index) => {
        const forged = new URL(callback);
        forged.searchParams.set('code', codes[(index + 1) % MANY] ?? '');
        return browser.callback(forged.href);
      }),
    );
    expect(answers.map(locationOf)).toEqual(
      flows.map(() => 'http://localhost:4800/login?error=github_unavailable'),
    );
    expect(await countRows('sessions')).toBe(before);
  });

  it('succeeds once for its callback, however often and however parallel it comes', async () => {
    for (let round = 0; round < MANY; round += 1) {
      const { browser, callback } = await visited(1);
      const [before, exchanged] = [await countRows('sessions'), timesExchanged()];
      const parallel = await Promise.all(
        Array.from({ length: MANY }, () => copyOf(browser).callback(callback)),
      );
      const repeated = await copyOf(browser).callback(callback);
      const statuses = [...parallel, repeated].map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([302, ...Array.from({ length: MANY }, () => 400)]);
      expect(timesExchanged()).toBe(exchanged + 1);
      expect(await countRows('sessions')).toBe(before + 1);
    }
  });

  it('never succeeds with a code that was used, under a fresh state', async () => {
    const { browser, callback } = await visited(1);
    await browser.callback(callback);
    const again = openBrowser(culprit, github);
    const state = new URL(await again.start()).searchParams.get('state') ?? '';
    const replay = new URL(callback);
    replay.searchParams.set('state', state);
    expect(locationOf(await again.callback(replay.href))).toContain('/login?error=');
    expect(await again.session()).toBeNull();
  });

  it('never succeeds when a neighbouring host plants a second state', async () => {
    const { browser, callback } = await visited(1);
    const planted = (await visited(2)).browser.cookies.get('svc_oauth');
    const { pathname, search } = new URL(callback);
    const cookie = `svc_oauth=${browser.cookies.get('svc_oauth')}; svc_oauth=${planted}`;
    const response = await fetch(culprit.url + pathname + search, {
      redirect: 'manual',
      headers: { cookie },
    });
    expect(response.status).toBe(400);
  });
});

describe('a device request', () => {
  async function approved(as: number): Promise<string> {
    const { requestId, userCode } = await device.start();
    github.answerDevice(userCode, { as });
    await device.poll(requestId);
    return requestId;
  }

  it('is claimed once, however parallel it is done', async () => {
    for (let round = 0; round < 4; round += 1) {
      const requestId = await approved(1);
      const before = await countRows('member_tokens');
      const answers = await Promise.all(Array.from({ length: MANY }, () => device.claim(requestId)));
      const late = await device.claim(requestId);
      expect([...answers, late].map(({ status }) => status).toSorted()).toEqual([
        200,
        ...Array.from({ length: MANY }, () => 409),
      ]);
      expect(await countRows('member_tokens')).toBe(before + 1);
    }
  });

  it('gives each claim the token of the person who approved that request', async () => {
    const people = [1, 2, 3, 4];
    const requests = await Promise.all(people.map(approved));
    const claims = await Promise.all(requests.map((requestId) => device.claim(requestId)));
    const owners = await culprit.database.query<{ user_id: string; github_id: number }>({
      name: 'test-github-people',
      text: 'select user_id, github_id from users where github_id is not null',
    });
    const claimed = claims.map(({ body }) => /"user_id":"([^"]+)"/.exec(JSON.stringify(body))?.[1]);
    expect(claimed.map((userId) => owners.find((owner) => owner.user_id === userId)?.github_id)).toEqual(
      people,
    );
  });

  it('is decided once by parallel polls and claims that cross the approval', async () => {
    github.addPerson(personWith(100, 'crossing@example.test'));
    const [people, tokens] = [await countRows('users'), await countRows('member_tokens')];
    const { requestId, userCode } = await device.start();
    github.answerDevice(userCode, { as: 100 });
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, index) =>
        index % 4 === 0 ? device.poll(requestId) : device.claim(requestId),
      ),
    );
    const early = answers.filter(({ body }) => JSON.stringify(body).includes('svc_mem_')).length;
    expect((await device.claim(requestId)).status).toBe(early === 0 ? 200 : 409);
    expect(await countRows('users')).toBe(people + 1);
    expect(await countRows('member_tokens')).toBe(tokens + 1);
  });

  it('gives nothing to a claim that comes before the approval, after a refusal, or with another id', async () => {
    const before = await countRows('member_tokens');
    const waiting = await device.start();
    const denied = await device.start();
    github.answerDevice(denied.userCode, 'denies');
    await device.poll(denied.requestId);
    const theirs = await approved(2);
    const claims = [waiting.requestId, denied.requestId, waiting.userCode, crypto.randomUUID()].flatMap(
      (id) => [device.claim(id), device.claim(id.toUpperCase()), device.claim(id.slice(0, -1))],
    );
    const answers = await Promise.all([...claims, device.claim(`${theirs}0`), device.claim(`tok_${theirs}`)]);
    expect(answers.filter(({ status }) => status !== 404 && status !== 409)).toEqual([]);
    expect(await countRows('member_tokens')).toBe(before);
  });
});
