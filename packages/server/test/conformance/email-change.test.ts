import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { whileLocked } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { codeIn, mailsTo, nextMail } from '../support/mailbox.ts';
import { newAddress } from '../support/people.ts';
import { reportClient } from '../support/report-client.ts';
import { sendRequest } from '../support/send-events.ts';
import type { SignedInBrowser } from '../support/sign-in.ts';

const WAITING_FOR_LOCK = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** A person moves their account to another address (docs/contract/server-additions.md S17). */
describe('the change of an address', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ duties: [], signIn: { signupDomains: ['example.test'] } });
  });
  afterAll(() => culprit?.stop());

  const ask = async ({ headers }: SignedInBrowser, step: 'request-code' | 'confirm', body: object) =>
    await sendRequest(`${culprit.url}/v1/account/email/${step}`, {
      headers: { ...headers, origin: culprit.baseUrl },
      body: JSON.stringify(body),
    });
  const mailedCode = async (email: string) =>
    codeIn(await nextMail(culprit.mailDirectory, email, 0, 'Code for your new address'));
  const currentCode = async (email: string) =>
    codeIn(await nextMail(culprit.mailDirectory, email, 0, 'Code to change your address'));
  const INVALID = { status: 400, body: { error: 'invalid_code' } };

  it('takes the codes of both addresses, tells the old one, and ends the other sessions', async () => {
    const [before, after] = [newAddress('before'), newAddress('after')];
    const project = await culprit.createProject({ email: before });
    const [here, elsewhere] = [await culprit.signIn(before), await culprit.signIn(before)];
    const { update, mailChannel } = reportClient(culprit, project);
    const { channel_id: channelId } = await mailChannel();
    await update(channelId, { config: { to: [before, 'lead@example.test'] } });
    expect(await ask(here, 'request-code', { email: after })).toMatchObject({ status: 200 });
    const code = await mailedCode(after);
    const current_code = await currentCode(before);
    const codes = { code, current_code };
    // Neither code is enough, in whichever field.
    for (const pair of [
      { code, current_code: code },
      { code: current_code, current_code },
    ]) {
      if (code !== current_code)
        expect(await ask(here, 'confirm', { email: after, ...pair })).toMatchObject(INVALID);
    }
    // Codes are for one address, one person and one session, and what others try burns nothing.
    expect(await ask(here, 'confirm', { email: newAddress('other'), ...codes })).toMatchObject(INVALID);
    const stranger = await culprit.signIn(newAddress('stranger'));
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await ask(stranger, 'confirm', { email: after, ...codes })).toMatchObject(INVALID);
      expect(await ask(elsewhere, 'confirm', { email: after, ...codes })).toMatchObject(INVALID);
    }
    expect(await ask(here, 'confirm', { email: after.toUpperCase(), ...codes })).toMatchObject({
      status: 200,
      body: { session: { email: after, user_id: project.userId, session_id: here.session.session_id } },
    });
    const told = await nextMail(culprit.mailDirectory, before, 0, 'Your address on');
    expect(told.text).toContain(after);
    const status = async ({ headers }: SignedInBrowser) =>
      (await fetch(`${culprit.url}/v1/auth/session`, { headers })).status;
    expect([await status(here), await status(elsewhere)]).toEqual([200, 401]);
    expect((await mailChannel()).config).toEqual({ to: [after, 'lead@example.test'] });
    // The codes are used up, and whoever signs in with the new address is the same person.
    expect(await ask(here, 'confirm', { email: after, ...codes })).toMatchObject(INVALID);
    expect((await culprit.signIn(after)).session.user_id).toBe(project.userId);
  });

  it('gives nobody the address of another account, and answers the same', async () => {
    const [mine, taken] = [newAddress('mine'), newAddress('taken')];
    const browser = await culprit.signIn(mine);
    await culprit.signIn(taken);
    expect(await ask(browser, 'request-code', { email: taken })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    const mail = await nextMail(culprit.mailDirectory, taken, 0, 'Your address on');
    expect(mail.text).toContain('The address already has an account');
    expect(mail.text).not.toMatch(/\d{6}/);
    expect(await mailsTo(culprit.mailDirectory, taken, 'Code for your new address')).toEqual([]);
  });

  it('gives an address to one of two who prove it at the same moment', async () => {
    const late = newAddress('late');
    const browser = await culprit.signIn(late);
    const email = newAddress('contested');
    await ask(browser, 'request-code', { email });
    const codes = { code: await mailedCode(email), current_code: await currentCode(late) };
    const insert = `insert into users (user_id, email) values ('${newUuid()}', '${email}')`;
    const confirming = await whileLocked(culprit, insert, async () => {
      const answer = ask(browser, 'confirm', { email, ...codes });
      await eventually(async () => expect(await countRows(culprit, WAITING_FOR_LOCK)).toBe(1));
      return { answer };
    });
    expect(await confirming.answer).toMatchObject(INVALID);
  });

  it('mails nothing where sign-up does not lead, nor twice within 30 seconds', async () => {
    const browser = await culprit.signIn(newAddress('twice'));
    const success = { status: 200, body: { success: true } };
    const first = newAddress('first');
    expect(await ask(browser, 'request-code', { email: first })).toMatchObject(success);
    await mailedCode(first);
    const second = newAddress('second');
    expect(await ask(browser, 'request-code', { email: second })).toMatchObject(success);
    const other = await culprit.signIn(newAddress('outside'));
    expect(await ask(other, 'request-code', { email: 'me@elsewhere.test' })).toMatchObject(success);
    // Mail is sent in the order in which it is asked for; what comes later proves that nothing came before.
    const last = await culprit.signIn(newAddress('last'));
    const third = newAddress('third');
    await ask(last, 'request-code', { email: third });
    await mailedCode(third);
    expect(await mailsTo(culprit.mailDirectory, second)).toEqual([]);
    expect(await mailsTo(culprit.mailDirectory, 'me@elsewhere.test')).toEqual([]);
  });

  it('burns a code after five wrong tries', async () => {
    const guesser = newAddress('guesser');
    const browser = await culprit.signIn(guesser);
    const email = newAddress('guessed');
    await ask(browser, 'request-code', { email });
    const [code, current_code] = [await mailedCode(email), await currentCode(guesser)];
    const wrong = current_code === '000000' ? '000001' : '000000';
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await ask(browser, 'confirm', { email, code, current_code: wrong })).toMatchObject(INVALID);
    }
    expect(await ask(browser, 'confirm', { email, code, current_code })).toMatchObject(INVALID);
  });
});
