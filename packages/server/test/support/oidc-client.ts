import { Secret } from '../../src/platform/secrets/secret.ts';
import type { OidcSettings } from '../../src/workspace/accounts/oidc/oidc-settings.ts';
import { type CookieBrowser, locationOf, openCookieBrowser } from './cookie-browser.ts';
import type { TestCulprit } from './culprit.ts';
import type { Cookies, OidcServer } from './oidc-server.ts';

/** Settings of a service that signs in with the provider. A test may change them while the service runs. */
export function oidcSettingsFor(
  provider: Pick<OidcServer, 'issuer' | 'clientId' | 'clientSecret'>,
): OidcSettings {
  return {
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecret: new Secret(provider.clientSecret),
    name: 'Test provider',
    scopes: 'openid email profile',
    groupsClaim: 'groups',
    allowedGroups: [],
    isEmailTrusted: false,
    sessionSeconds: 12 * 3600,
    tokenStaleness: { issuer: provider.issuer, afterSeconds: 30 * 86_400 },
    isSignupOn: true,
    requestTimeoutMs: 5_000,
  };
}

/** A browser that signs in with the provider. It does not follow redirects by itself. */
export interface OidcBrowser extends CookieBrowser {
  /** Begins a sign-in; gives the page of the provider that it leads to. */
  start(query?: string): Promise<string>;
  /** Goes where the provider sends it: to the service, whatever host the address names. */
  callback(location: string): ReturnType<CookieBrowser['get']>;
  /** The whole way; gives where it ends. */
  signIn(as: string, query?: string): Promise<string>;
  /** What it keeps of the provider. */
  providerCookies: Cookies;
}

export function openOidcBrowser(culprit: TestCulprit, provider: OidcServer): OidcBrowser {
  const browser = openCookieBrowser(culprit.url);
  const start = async (query = '') => locationOf(await browser.get(`/v1/auth/oidc/start${query}`));
  const callback: OidcBrowser['callback'] = (location) => {
    const { pathname, search } = new URL(location);
    return browser.get(pathname + search);
  };
  const providerCookies: Cookies = new Map();
  return {
    ...browser,
    providerCookies,
    start,
    callback,
    signIn: async (as, query) =>
      locationOf(await callback(await provider.visit(await start(query), { as }, providerCookies))),
  };
}
