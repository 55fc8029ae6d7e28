import { expect, it, onTestFinished } from 'vitest';
import { readLogoutClaims } from '../../src/workspace/accounts/oidc/logout-token.ts';
import { createOidcProvider } from '../../src/workspace/accounts/oidc/oidc-provider.ts';
import { isSameIssuer, type OidcSettings } from '../../src/workspace/accounts/oidc/oidc-settings.ts';
import { startHttpTarget } from '../support/http-target.ts';

/** How an issuer is written, as people copy it and providers say it (docs/contract/team-workflow.md 9.2). */

/** Returns whether the provider that says one issuer can be used under another, or why not. */
async function used(said: string, given: string): Promise<string> {
  const target = await startHttpTarget({
    answer(_request, response) {
      const at = `http://127.0.0.1:${target.port}`;
      const metadata = { issuer: said.replace('HERE', at), authorization_endpoint: `${at}/authorize` };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata));
    },
  });
  onTestFinished(() => target.close());
  const settings: OidcSettings = {
    ...{ issuer: given.replace('HERE', `http://127.0.0.1:${target.port}`), clientId: 'culprit' },
    ...{ clientSecret: null, name: 'SSO', scopes: 'openid email', groupsClaim: 'groups', allowedGroups: [] },
    ...{ isEmailTrusted: false, sessionSeconds: 60, tokenStaleness: null, isSignupOn: true },
    requestTimeoutMs: 5_000,
  };
  const request = {
    redirectUri: 'http://127.0.0.1/cb',
    state: 's',
    codeVerifier: 'v'.repeat(43),
    nonce: 'n',
  };
  return await createOidcProvider(settings)
    .authorizeUrl(request)
    .then(
      (url) => new URL(url).pathname,
      (error: unknown) => (error instanceof Error && 'word' in error ? String(error.word) : 'another error'),
    );
}

it.each([
  ['HERE/application/o/shop/', 'HERE/application/o/shop', '/authorize'],
  ['HERE/realms/team', 'HERE/realms/team/', '/authorize'],
  ['HERE/', 'HERE', '/authorize'],
  ['HERE/realms/team', 'HERE/realms/team', '/authorize'],
  ['HERE/realms/other', 'HERE/realms/team', 'other_issuer'],
  ['HERE/{tenantid}/v2.0', 'HERE/common/v2.0', 'other_issuer'],
])('a provider that says %s, set as %s: %s', async (said, given, outcome) => {
  expect(await used(said, given)).toBe(outcome);
});

it('a logout is of the issuer however its end is written, and names it as sessions do', () => {
  const nowSeconds = 1_800_000_000;
  const claims = {
    ...{ iss: 'https://team.eu.auth0.com/', aud: 'culprit', iat: nowSeconds, exp: nowSeconds + 60, jti: '1' },
    ...{ sub: 'ada', events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
  };
  const read = (issuer: string) => readLogoutClaims(claims, { issuer, clientId: 'culprit', nowSeconds });
  expect(read('https://team.eu.auth0.com')).toMatchObject({ issuer: claims.iss, subject: 'ada' });
  expect(read('https://other.eu.auth0.com')).toBe('other_issuer');
  expect(isSameIssuer('https://id.example', 'https://id.example/x')).toBe(false);
});
