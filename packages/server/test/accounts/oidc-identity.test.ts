import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { describe, expect, it } from 'vitest';
import { readOidcIdentity } from '../../src/workspace/accounts/oidc/oidc-identity.ts';

const TOKEN = { iss: 'https://id.example.com', sub: 'ada' };

function identityOf(
  idToken: JsonObject,
  userinfo: JsonObject | null = null,
  isEmailTrusted = false,
  groupsClaim = 'groups',
) {
  return readOidcIdentity({ idToken: { ...idToken, ...TOKEN }, userinfo }, { isEmailTrusted, groupsClaim });
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
    ['records with names', { groups: [{ name: 'a', id: 1 }, { id: 2 }, 'b'] }, null, ['a', 'b']],
    ['a list without a name', { groups: [{ value: 'a', display: 'A' }, 7] }, null, null],
    ['a list without a name, and names at userinfo', { groups: [7] }, { groups: ['a'] }, ['a']],
    ['a list of roles by their names', { groups: [{ a: { '28': 'x' } }, { b: {} }, {}] }, null, ['a', 'b']],
    ['roles by their names', { groups: { a: { '28': 'team.example' }, b: {} } }, null, ['a', 'b']],
  ])('%s', (_case, idToken, userinfo, groups) => {
    expect(identityOf(idToken, userinfo).groups).toEqual(groups);
  });

  it.each<[string, JsonObject, readonly string[] | null]>([
    ['realm_access.roles', { realm_access: { roles: ['a'] } }, ['a']],
    ['resource_access.culprit.roles', { resource_access: { culprit: { roles: ['a'] } } }, ['a']],
    ['resource_access.shop.example.roles', { resource_access: { 'shop.example': { roles: ['a'] } } }, ['a']],
    ['https://team.example/groups', { 'https://team.example/groups': ['a'] }, ['a']],
    ['urn:zitadel:iam:org:project:roles', { 'urn:zitadel:iam:org:project:roles': { a: {} } }, ['a']],
    ['cognito:groups', { 'cognito:groups': ['a'] }, ['a']],
    ['realm_access.roles', { realm_access: 'x' }, null],
    ['realm_access.roles', {}, null],
    ['constructor.name', {}, null],
  ])('in the claim %s: %j', (claim, idToken, groups) => {
    expect(identityOf(idToken, null, false, claim).groups).toEqual(groups);
  });
});
