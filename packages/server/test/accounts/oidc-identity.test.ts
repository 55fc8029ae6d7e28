import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { describe, expect, it } from 'vitest';
import { readOidcIdentity } from '../../src/workspace/accounts/oidc/oidc-identity.ts';

const TOKEN = { iss: 'https://id.example.com', sub: 'ada' };

function identityOf(idToken: JsonObject, userinfo: JsonObject | null = null, isEmailTrusted = false) {
  return readOidcIdentity(
    { idToken: { ...idToken, ...TOKEN }, userinfo },
    { isEmailTrusted, groupsClaim: 'groups' },
  );
}

describe('the address of a person of the provider', () => {
  it.each<[string, JsonObject, JsonObject | null, boolean, string | null]>([
    [
      'verified in the token',
      { email: 'Ada@Example.test', email_verified: true },
      null,
      false,
      'ada@example.test',
    ],
    ['verified at userinfo', {}, { email: 'a@example.test', email_verified: true }, false, 'a@example.test'],
    [
      'verified as a text',
      { email: 'a@example.test', email_verified: 'true' },
      null,
      false,
      'a@example.test',
    ],
    ['not said', { email: 'a@example.test' }, null, false, null],
    ['not said, and trusted', { email: 'a@example.test' }, null, true, 'a@example.test'],
    ['denied, and trusted', { email: 'a@example.test', email_verified: false }, null, true, null],
    [
      'verified for another address at the other place',
      { email: 'victim@example.test' },
      { email: 'thief@example.test', email_verified: true },
      false,
      'thief@example.test',
    ],
    ['said without an address', { email: 'victim@example.test' }, { email_verified: true }, false, null],
    [
      'denied at one place and trusted at the other',
      { email: 'a@example.test', email_verified: false },
      { email: 'a@example.test' },
      true,
      null,
    ],
    ['none', { email_verified: true }, null, true, null],
    ['no address', { email: 'x', email_verified: true }, null, false, null],
  ])('%s', (_case, idToken, userinfo, isTrusted, email) => {
    expect(identityOf(idToken, userinfo, isTrusted).email).toBe(email);
  });
});

describe('the groups of a person of the provider', () => {
  it.each<[string, JsonObject, JsonObject | null, readonly string[] | null]>([
    ['a list', { groups: ['a', 'b', 'a', '', 7, 'x'.repeat(201)] }, null, ['a', 'b']],
    ['an empty list', { groups: [] }, null, []],
    ['one name', { groups: 'a' }, null, ['a']],
    ['at userinfo alone', {}, { groups: ['a'] }, ['a']],
    ['not said', {}, {}, null],
    ['elsewhere', { _claim_names: { groups: 'src1' } }, null, null],
    ['of no form', { groups: { a: true } }, null, null],
  ])('%s', (_case, idToken, userinfo, groups) => {
    expect(identityOf(idToken, userinfo).groups).toEqual(groups);
  });
});
