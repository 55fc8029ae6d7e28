import { describe, expect, it } from 'vitest';
import { locationOf } from '../support/cookie-browser.ts';
import { APP, useOidcBench } from '../support/oidc-bench.ts';

const bench = useOidcBench({ hasWorker: false });

async function accountOf(email: string): Promise<string | null> {
  const [row] = await bench.culprit.database.query<{ user_id: string }>(
    { name: 'test-account', text: 'select user_id from users where email = $1' },
    [email],
  );
  return row?.user_id ?? null;
}

describe('whose account a person gets', () => {
  it('is never that of an address which the provider does not vouch for, unless the setting does', async () => {
    const { userId } = await bench.culprit.createProject({ email: 'victim@example.test' });
    bench.addPerson('thief', { email: 'victim@example.test', email_verified: false });
    bench.provider.people.set('unsaid', { email: 'victim@example.test' });
    expect(await bench.open().signIn('thief')).toBe(`${APP}/login?error=oidc_email_missing`);
    expect(await bench.open().signIn('unsaid')).toBe(`${APP}/login?error=oidc_email_missing`);
    bench.settings.isEmailTrusted = true;
    // What the provider denies is not trusted either.
    expect(await bench.open().signIn('thief')).toBe(`${APP}/login?error=oidc_email_missing`);
    const browser = bench.open();
    expect(await browser.signIn('unsaid')).toBe(`${APP}/`);
    expect((await browser.session())?.user_id).toBe(userId);
  });

  it('is not one that another person of the provider has', async () => {
    bench.addPerson('first', { email: 'shared@example.test' });
    bench.addPerson('second', { email: 'shared@example.test' });
    expect(await bench.open().signIn('first')).toBe(`${APP}/`);
    expect(await bench.open().signIn('second')).toBe(`${APP}/login?error=oidc_identity_conflict`);
  });

  it('is not one whose address was never proven here', async () => {
    const { userId } = await bench.culprit.createProject({ email: 'unproven@example.test' });
    await bench.culprit.database.query(
      { name: 'test-unproven', text: 'update users set email_verified_at = null where user_id = $1' },
      [userId],
    );
    expect(await bench.open().signIn(bench.addPerson('unproven'))).toBe(
      `${APP}/login?error=oidc_identity_conflict`,
    );
  });

  it('is a new one where the provider may create some, whatever sign-up with a code says', async () => {
    Object.assign(bench.culprit.signInSettings, { signup: 'closed' });
    expect(await bench.open().signIn(bench.addPerson('joiner'))).toBe(`${APP}/`);
    bench.settings.isSignupOn = false;
    expect(await bench.open().signIn(bench.addPerson('late'))).toBe(`${APP}/login?error=signup_closed`);
    Object.assign(bench.culprit.signInSettings, { signup: 'open', signupDomains: ['other.test'] });
    bench.settings.isSignupOn = true;
    expect(await bench.open().signIn('late')).toBe(`${APP}/login?error=signup_closed`);
    expect(await accountOf('late@example.test')).toBeNull();
  });

  it('is none without one of the groups that the setting names', async () => {
    bench.settings.allowedGroups = ['engineers', 'operations'];
    bench.addPerson('outside', { groups: ['sales'] });
    bench.addPerson('unknown');
    bench.addPerson('inside', { groups: ['sales', 'operations'] });
    expect(await bench.open().signIn('outside')).toBe(`${APP}/login?error=oidc_group_required`);
    expect(await bench.open().signIn('unknown')).toBe(`${APP}/login?error=oidc_group_required`);
    expect(await accountOf('outside@example.test')).toBeNull();
    expect(await bench.open().signIn('inside')).toBe(`${APP}/`);
  });

  it('is none when the person cancels at the provider', async () => {
    const browser = bench.open();
    const answer = await browser.callback(await bench.provider.visit(await browser.start(), 'cancels'));
    expect(locationOf(answer)).toBe(`${APP}/login?error=oidc_cancelled`);
    expect([...browser.cookies]).toEqual([]);
  });
});
