// Proves 42.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { codeIn, mailsTo, nextMail } from '../support/mailbox.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { startApiProcess } from '../support/role-process.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import {
  askForCode,
  browserOf,
  newBrowser,
  requestCode,
  usualBrowser,
  verifyCode,
} from '../support/sign-in.ts';

/**
 * docs/contract/reliability.md test 42: codes, sessions and cookies, each limit one second before and one second
 * behind.
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Each test has a stretch of time of its own from here on, so that their hours never meet. */
const START_MS = Date.parse('2030-05-06T07:08:09.123Z');

let culprit: TestCulprit;
let startMs = START_MS;

beforeAll(async () => {
  culprit = await startCulprit({ duties: [], trustedProxies: ['127.0.0.1'] });
});
afterAll(() => culprit.stop());
afterEach(() => moveClock(culprit.database, 0));

/** Stops the clock at a time of this test's own. */
async function hold(offsetMs = 0): Promise<void> {
  await holdClock(culprit.database, startMs + offsetMs);
}

async function beginTest(): Promise<string> {
  startMs += 400 * DAY_MS;
  await hold();
  return `p-${newUuid()}@example.test`;
}

function wrongFor(code: string): string {
  return code === '000000' ? '000001' : '000000';
}

async function verify(
  email: string,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  return (await verifyCode(culprit.url, email, code, { headers })).status;
}

function readSession(cookie: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return sendRequest(`${culprit.url}/v1/auth/session`, { method: 'GET', headers: { cookie, ...headers } });
}

async function isLive(cookie: string): Promise<boolean> {
  const { status } = await readSession(cookie);
  if (status !== 200 && status !== 401) throw new Error(`the session answered ${status}`);
  return status === 200;
}

async function messagesTo(email: string): Promise<number> {
  await culprit.drain();
  return (await mailsTo(culprit.mailDirectory, email)).length;
}

describe('a code', () => {
  it.each([
    [-SECOND_MS, 200],
    [0, 400],
    [SECOND_MS, 400],
  ])('that is ten minutes old, %d ms aside, is answered %d', async (asideMs, status) => {
    const email = await beginTest();
    const code = await requestCode(culprit, email);
    await hold(10 * MINUTE_MS + asideMs);
    expect(await verify(email, code)).toBe(status);
  });

  it('of another address, or another purpose, is worth nothing', async () => {
    const [email, other] = [await beginTest(), `q-${newUuid()}@example.test`];
    const code = await requestCode(culprit, email);
    await requestCode(culprit, other);
    const theirs = codeIn(await nextMail(culprit.mailDirectory, other));
    if (code !== theirs) expect(await verify(other, code)).toBe(400);
    expect(await verify(email, code)).toBe(200);
  });

  it('signs in one of many who bring it at once', async () => {
    const email = await beginTest();
    const code = await requestCode(culprit, email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => verify(email, code)));
    expect(answers.sort()).toEqual([200, 400, 400, 400, 400]);
    expect(await countRows(culprit, 'users where email = $1', [email])).toBe(1);
  });

  it('is burned by five wrong ones, also when they come at once', async () => {
    const email = await beginTest();
    const code = await requestCode(culprit, email);
    const wrongs = Array.from({ length: 12 }, () => verify(email, wrongFor(code)));
    expect(new Set(await Promise.all(wrongs))).toEqual(new Set([400]));
    expect(await verify(email, code)).toBe(400);
    expect(await readNumber(culprit, 'attempts', 'sign_in_codes where email = $1', [email])).toBe(13);
  });

  it('belongs to the browser that asked: what others bring is compared with nothing and burns nothing', async () => {
    const email = await beginTest();
    const [mine, theirs] = [newBrowser(), newBrowser()];
    const others = [{ cookie: 'svc_sign_in=' }, { cookie: `${mine.cookie}; ${theirs.cookie}` }, theirs];
    // Before there is a code, while there is one, and from a browser with a code of its own.
    for (let tries = 0; tries < 22; tries += 1) {
      expect(await verify(email, '000000', others[tries % 3])).toBe(400);
    }
    await askForCode(culprit.url, email, {}, mine);
    const code = codeIn(await nextMail(culprit.mailDirectory, email));
    for (const other of others) {
      for (let tries = 0; tries < 6; tries += 1) expect(await verify(email, code, other)).toBe(400);
    }
    await hold(MINUTE_MS);
    await askForCode(culprit.url, email, {}, theirs);
    const theirCode = codeIn(await nextMail(culprit.mailDirectory, email, 1));
    if (theirCode !== code) {
      expect(await verify(email, code, theirs)).toBe(400);
      expect(await verify(email, theirCode, mine)).toBe(400);
    }
    expect(await verify(email, code, mine)).toBe(200);
    expect(await verify(email, code, mine)).toBe(400);
  });

  it('is one of several that a browser has for several addresses', async () => {
    const [email, other] = [await beginTest(), `q-${newUuid()}@example.test`];
    const mine = newBrowser();
    for (const each of [email, other]) await askForCode(culprit.url, each, {}, mine);
    for (const each of [other, email])
      expect(await verify(each, codeIn(await nextMail(culprit.mailDirectory, each)), mine)).toBe(200);
  });

  it('comes with a cookie for who has none, which scripts do not see', async () => {
    const email = await beginTest();
    const { headers } = await askForCode(culprit.url, email, {}, {});
    const [cookie = '', ...more] = headers.getSetCookie();
    expect(more).toEqual([]);
    expect(cookie).toMatch(/^svc_sign_in=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/);
    const code = codeIn(await nextMail(culprit.mailDirectory, email));
    expect(await verify(email, code, { cookie: cookie.split(';')[0] ?? '' })).toBe(200);
  });

  it('is not renewed in its tries by anything but a new one', async () => {
    const email = await beginTest();
    const code = await requestCode(culprit, email);
    for (let tries = 0; tries < 5; tries += 1) expect(await verify(email, wrongFor(code))).toBe(400);
    await hold(SECOND_MS);
    expect((await askForCode(culprit.url, email)).status).toBe(200);
    expect(await verify(email, code)).toBe(400);
    await hold(31 * SECOND_MS);
    expect(await verify(email, await requestCode(culprit, email))).toBe(200);
  });
});

describe('messages to an address', () => {
  it.each([
    [29 * SECOND_MS, 1],
    [30 * SECOND_MS, 2],
    [31 * SECOND_MS, 2],
  ])('asked for %d ms apart are %d', async (apartMs, messages) => {
    const email = await beginTest();
    expect(await askForCode(culprit.url, email)).toMatchObject({ status: 200, body: { success: true } });
    const first = codeIn(await nextMail(culprit.mailDirectory, email));
    await hold(apartMs);
    expect(await askForCode(culprit.url, email)).toMatchObject({ status: 200, body: { success: true } });
    expect(await messagesTo(email)).toBe(messages);
    // A request that sends nothing leaves the code alone.
    if (messages === 1) expect(await verify(email, first)).toBe(200);
  });

  it('are five in any hour', async () => {
    const email = await beginTest();
    for (let request = 0; request < 8; request += 1) {
      await hold(request * MINUTE_MS);
      expect((await askForCode(culprit.url, email)).status).toBe(200);
    }
    expect(await messagesTo(email)).toBe(5);
    await hold(HOUR_MS - SECOND_MS);
    await askForCode(culprit.url, email);
    expect(await messagesTo(email)).toBe(5);
    await hold(HOUR_MS + SECOND_MS);
    await askForCode(culprit.url, email);
    expect(await messagesTo(email)).toBe(6);
    // The second message of the hour before still counts for another minute.
    await hold(HOUR_MS + 40 * SECOND_MS);
    await askForCode(culprit.url, email);
    expect(await messagesTo(email)).toBe(6);
  });

  it('are twenty in an hour and sixty in a day, however many clients and new browsers ask', async () => {
    const email = await beginTest();
    const asking = (client: number) =>
      askForCode(culprit.url, email, {}, { ...newBrowser(), 'x-forwarded-for': `203.0.113.${client}` });
    for (let hour = 0; hour < 4; hour += 1) {
      await hold(hour * HOUR_MS + SECOND_MS);
      for (let client = 1; client <= 25; client += 1) await asking(client);
      expect(await messagesTo(email)).toBe(Math.min(20 * (hour + 1), 60));
    }
  });

  it('of a browser that signed in before are its own, whatever strangers ask for', async () => {
    const email = await beginTest();
    const mine = newBrowser();
    const askWith = (browser: { cookie: string }) => askForCode(culprit.url, email, {}, browser);
    await askWith(mine);
    expect(await verify(email, codeIn(await nextMail(culprit.mailDirectory, email)), mine)).toBe(200);
    for (let request = 0; request < 8; request += 1) {
      await hold(request * MINUTE_MS);
      await askWith(newBrowser());
    }
    const seen = await messagesTo(email);
    expect(seen).toBe(5);
    // Also in the half minute after a message that another one asked for.
    await askWith(mine);
    expect(await messagesTo(email)).toBe(seen + 1);
    const code = codeIn(await nextMail(culprit.mailDirectory, email, seen));
    expect(await verify(email, code, mine)).toBe(200);
    // Knowing the cookie is knowing the browser of one address, and not of another.
    const other = `q-${newUuid()}@example.test`;
    for (let request = 0; request < 8; request += 1) {
      await hold(HOUR_MS + request * MINUTE_MS);
      await askForCode(culprit.url, other, {}, mine);
    }
    expect(await messagesTo(other)).toBe(5);
  });

  it('are counted exactly when many are asked for at once', async () => {
    const email = await beginTest();
    await Promise.all(Array.from({ length: 8 }, () => askForCode(culprit.url, email)));
    expect(await messagesTo(email)).toBe(1);
  });
});

describe('failures of a browser for an address', () => {
  async function failTwenty(email: string): Promise<void> {
    const code = await requestCode(culprit, email);
    for (let failure = 0; failure < 20; failure += 1) expect(await verify(email, wrongFor(code))).toBe(400);
  }

  it('beyond twenty in an hour make every try fail, and end no session', async () => {
    const email = await beginTest();
    const { cookie } = await culprit.signIn(email);
    await failTwenty(email);
    const code = await requestCode(culprit, email);
    expect(await verify(email, code)).toBe(400);
    expect(await isLive(cookie)).toBe(true);
    await hold(HOUR_MS - SECOND_MS);
    expect(await verify(email, await requestCode(culprit, email))).toBe(400);
    await hold(HOUR_MS + SECOND_MS);
    expect(await verify(email, await requestCode(culprit, email))).toBe(200);
  });

  it('are nineteen after a success among them', async () => {
    const email = await beginTest();
    const missed = await requestCode(culprit, email);
    for (let failure = 0; failure < 19; failure += 1) expect(await verify(email, wrongFor(missed))).toBe(400);
    expect(await verify(email, await requestCode(culprit, email))).toBe(200);
    expect(await verify(email, await requestCode(culprit, email))).toBe(200);
    const code = await requestCode(culprit, email);
    expect(await verify(email, wrongFor(code))).toBe(400);
    expect(await verify(email, code)).toBe(400);
  });
});

describe('a session', () => {
  it.each([
    [-SECOND_MS, true],
    [0, false],
    [SECOND_MS, false],
  ])('unused for 24 hours, %d ms aside, is alive: %s', async (asideMs, alive) => {
    const { cookie } = await culprit.signIn(await beginTest());
    await hold(DAY_MS + asideMs);
    expect(await isLive(cookie)).toBe(alive);
  });

  it.each([
    [-SECOND_MS, true],
    [0, false],
    [SECOND_MS, false],
  ])('in use for seven days, %d ms aside, is alive: %s', async (asideMs, alive) => {
    const { cookie } = await culprit.signIn(await beginTest());
    for (let day = 0.9; day < 7; day += 0.9) {
      await hold(day * DAY_MS);
      expect(await isLive(cookie)).toBe(true);
    }
    await hold(7 * DAY_MS + asideMs);
    expect(await isLive(cookie)).toBe(alive);
  });

  it('records its use at most once a minute', async () => {
    const { cookie, session } = await culprit.signIn(await beginTest());
    const where = 'sessions where session_id = $1';
    const lastUse = () =>
      readNumber(culprit, 'extract(epoch from last_used_at) * 1000', where, [session.session_id]);
    await hold(59 * SECOND_MS);
    await isLive(cookie);
    expect(await lastUse()).toBe(startMs);
    await hold(61 * SECOND_MS);
    await isLive(cookie);
    expect(await lastUse()).toBe(startMs + 61 * SECOND_MS);
  });

  it('is one of twenty live ones at most: the oldest ends', async () => {
    const email = await beginTest();
    const cookies: string[] = [];
    for (let count = 0; count < 21; count += 1) {
      await hold(count * SECOND_MS);
      cookies.push((await culprit.signIn(email)).cookie);
    }
    expect(await Promise.all(cookies.map(isLive))).toEqual([false, ...Array(20).fill(true)]);
    // One that ended leaves room.
    await sendRequest(`${culprit.url}/v1/auth/logout`, {
      headers: { cookie: cookies[20] ?? '', 'x-csrf-token': await csrfOf(cookies[20] ?? '') },
    });
    cookies.push((await culprit.signIn(email)).cookie);
    expect(await isLive(cookies[1] ?? '')).toBe(true);
  });

  async function csrfOf(cookie: string): Promise<string> {
    const { headers } = browserOf(withCookie(await readSession(cookie), cookie));
    return headers['x-csrf-token'];
  }

  it('is a new one at each sign-in, and the one the browser had ends', async () => {
    const [email, other] = [await beginTest(), `q-${newUuid()}@example.test`];
    const before = await culprit.signIn(email);
    const elsewhere = await culprit.signIn(email);
    const code = await requestCode(culprit, other);
    const headers = { cookie: before.cookie };
    // A failure ends nothing.
    expect((await verifyCode(culprit.url, other, wrongFor(code), { headers })).status).toBe(400);
    expect(await isLive(before.cookie)).toBe(true);
    const after = browserOf(await verifyCode(culprit.url, other, code, { headers }));
    expect(after.cookie).not.toBe(before.cookie);
    expect(after.csrfToken).not.toBe(before.csrfToken);
    expect(await isLive(before.cookie)).toBe(false);
    expect(await isLive(elsewhere.cookie)).toBe(true);
  });

  it('is never the one an attacker chose', async () => {
    const email = await beginTest();
    const chosen = `svc_session=${'A'.repeat(43)}`;
    const code = await requestCode(culprit, email);
    const answer = await verifyCode(culprit.url, email, code, { headers: { cookie: chosen } });
    expect(browserOf(answer).cookie).not.toBe(chosen);
    expect(await isLive(chosen)).toBe(false);
  });

  it('has one CSRF token for all its tabs, and leaves other sessions alone when it ends', async () => {
    const email = await beginTest();
    const [one, two] = [await culprit.signIn(email), await culprit.signIn(email)];
    for (let tab = 0; tab < 3; tab += 1) {
      expect((await readSession(one.cookie)).body).toEqual({ session: one.session });
    }
    await sendRequest(`${culprit.url}/v1/auth/logout`, { headers: one.headers });
    expect([await isLive(one.cookie), await isLive(two.cookie)]).toEqual([false, true]);
  });

  it('ends at once in a second process', async () => {
    const second = await startApiProcess(culprit, { plans: SELF_HOSTED });
    try {
      const { cookie, headers } = await culprit.signIn(await beginTest());
      const there = () =>
        sendRequest(`${second.report}/v1/auth/session`, { method: 'GET', headers: { cookie } });
      expect((await there()).status).toBe(200);
      await sendRequest(`${culprit.url}/v1/auth/logout`, { headers });
      expect((await there()).status).toBe(401);
    } finally {
      await second.kill();
    }
  });
});

describe('the cookie', () => {
  it('is found among others, and twice the same is once', async () => {
    const { cookie } = await culprit.signIn(await beginTest());
    for (const header of [
      `a=1; ${cookie}; b=2`,
      `a=1;${cookie};b=2`,
      `${cookie}; ${cookie}`,
      `svc_session_old=x; ${cookie}`,
      `xsvc_session=x; ${cookie}`,
    ]) {
      expect([header, await isLive(header)]).toEqual([header, true]);
    }
  });

  it('counts for nothing in any other form, or beside another of its name', async () => {
    const { cookie } = await culprit.signIn(await beginTest());
    const { cookie: other } = await culprit.signIn(`q-${newUuid()}@example.test`);
    const value = cookie.slice('svc_session='.length);
    for (const header of [
      `${cookie}; ${other}`,
      `${other}; ${cookie}`,
      `${cookie}; svc_session=`,
      `svc_session="${value}"`,
      `svc_session=${value.toLowerCase()}`,
      `svc_session=${value}x`,
      `svc_session=${value.slice(1)}`,
      `svc_session=${value}%00`,
      `SVC_SESSION=${value}`,
      `svc_session ${value}`,
      'svc_session=',
      '',
      `svc_session=' or 1=1 --`,
    ]) {
      expect([header, await isLive(header)]).toEqual([header, false]);
    }
  });

  it('is not helped by an Authorization header, not even an empty one', async () => {
    const { cookie } = await culprit.signIn(await beginTest());
    for (const authorization of ['Bearer x', 'Basic eDp5', '', `Bearer ${cookie.slice(12)}`]) {
      expect((await readSession(cookie, { authorization })).status).toBe(401);
    }
  });

  it('travels over plain http only where the installation is reached so', async () => {
    const email = await beginTest();
    const answer = await verifyCode(culprit.url, email, await requestCode(culprit, email));
    expect(answer.headers.getSetCookie().join()).not.toContain('Secure');
  });
});

describe('secrets of sign-in', () => {
  it('stand in no row once the message has left', async () => {
    const email = await beginTest();
    const code = await requestCode(culprit, email);
    const { cookie, csrfToken } = browserOf(await verifyCode(culprit.url, email, code));
    await culprit.drain();
    const tables = await culprit.database.query<{ name: string }>({
      name: 'test-tables',
      text: `select tablename as name from pg_tables where schemaname = 'public'`,
    });
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const browser = /svc_sign_in=([^;]+)/.exec(usualBrowser.cookie)?.[1] ?? '';
      for (const secret of [
        cookie.slice('svc_session='.length),
        browser,
        csrfToken,
        `"${code}"`,
        `(${code},`,
      ]) {
        const rows = await countRows(culprit, `${name} as t where t::text like $1`, [`%${secret}%`]);
        expect([name, rows]).toEqual([name, 0]);
      }
    }
  });
});

describe('the budget of a client', () => {
  it('is exact over two processes', async () => {
    const strict = await startCulprit({ hasWorker: false, signIn: { requestsPerMinute: 10 } });
    const second = await startApiProcess(strict, { plans: SELF_HOSTED });
    try {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          verifyCode(index % 2 === 0 ? strict.url : second.report, `${newUuid()}@example.test`, '123456'),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 400)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(30);
    } finally {
      await second.kill();
      await strict.stop();
    }
  });

  it('is fresh a minute after its first request, and says when', async () => {
    const strict = await startCulprit({ hasWorker: false, signIn: { requestsPerMinute: 2 } });
    const ask = () => verifyCode(strict.url, 'dev@example.test', '123456');
    try {
      const at = (offsetMs: number) => holdClock(strict.database, START_MS + offsetMs);
      await at(0);
      expect((await ask()).status).toBe(400);
      await at(20 * SECOND_MS);
      expect((await ask()).status).toBe(400);
      const refused = await ask();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '40']);
      await at(59 * SECOND_MS);
      expect((await ask()).headers.get('retry-after')).toBe('1');
      await at(61 * SECOND_MS);
      expect((await ask()).status).toBe(400);
    } finally {
      await strict.stop();
    }
  });
});

/** An answer that shows a session, as if it had set the cookie. */
function withCookie(answer: Answer, cookie: string): Answer {
  const headers = new Headers(answer.headers);
  headers.append('set-cookie', cookie);
  return { ...answer, headers };
}
