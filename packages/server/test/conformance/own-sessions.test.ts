import { AccountSession } from '@culprit/contract/workspace/sign-in';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { newAddress } from '../support/people.ts';
import type { SignedInBrowser } from '../support/sign-in.ts';

/** A person sees and ends their sessions (docs/contract/server-additions.md S17). */
describe('the sessions of a person', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ duties: [] });
  });
  afterAll(() => culprit.stop());

  async function listed({ headers }: SignedInBrowser): Promise<JsonObject[]> {
    const response = await fetch(`${culprit.url}/v1/account/sessions`, { headers });
    expect(response.status).toBe(200);
    const body: unknown = await response.json();
    if (!isJsonObject(body) || !Array.isArray(body.sessions)) throw new Error('no sessions');
    const isSession = compileValidator(AccountSession);
    expect(body.sessions.every((each) => isSession(each))).toBe(true);
    return body.sessions.filter(isJsonObject);
  }

  async function end({ headers }: SignedInBrowser, sessionId: string) {
    const response = await fetch(`${culprit.url}/v1/account/sessions/${sessionId}`, {
      method: 'DELETE',
      headers: { ...headers, origin: culprit.baseUrl },
    });
    const body: unknown = await response.json();
    return { status: response.status, body };
  }

  it('are listed with the kind of network, and tell which is the current one', async () => {
    const email = newAddress('two-browsers');
    const [one, two] = [await culprit.signIn(email), await culprit.signIn(email)];
    const sessions = await listed(two);
    expect(new Set(sessions.map(({ session_id: id }) => id))).toEqual(
      new Set([one.session.session_id, two.session.session_id]),
    );
    expect(sessions.every(({ address_class: kind }) => kind === 'loopback_ipv4')).toBe(true);
    expect(sessions.filter(({ is_current: isCurrent }) => isCurrent)).toMatchObject([
      { session_id: two.session.session_id },
    ]);
    const other = await culprit.signIn(newAddress('somebody-else'));
    expect(await listed(other)).toHaveLength(1);
  });

  it('are ended one by one, at once', async () => {
    const email = newAddress('ends-one');
    const [kept, lost] = [await culprit.signIn(email), await culprit.signIn(email)];
    expect(await end(kept, lost.session.session_id)).toEqual({ status: 200, body: { success: true } });
    const refused = await fetch(`${culprit.url}/v1/auth/session`, { headers: lost.headers });
    expect(refused.status).toBe(401);
    expect(await listed(kept)).toHaveLength(1);
    expect(await end(kept, lost.session.session_id)).toEqual({ status: 404, body: { error: 'not_found' } });
  });

  it('of other people are not there', async () => {
    const [mine, other] = [await culprit.signIn(newAddress('a')), await culprit.signIn(newAddress('b'))];
    for (const id of [other.session.session_id, newUuid(), 'no-id']) {
      expect(await end(mine, id)).toEqual({ status: 404, body: { error: 'not_found' } });
    }
    expect(await listed(other)).toHaveLength(1);
  });
});
