import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { OidcSettings } from '../../src/workspace/accounts/oidc/oidc-settings.ts';
import { startCulprit, type TestCulprit, type TestCulpritOptions } from './culprit.ts';
import { type OidcBrowser, oidcSettingsFor, openOidcBrowser } from './oidc-client.ts';
import { type OidcServer, startOidcServer } from './oidc-server.ts';

/** The dashboard of the service, which the sign-in leads to. */
export const APP = 'https://app.example.test';
export const UNAVAILABLE = `${APP}/login?error=oidc_unavailable`;

/** A provider and a service of a test file. What a test changes of them is undone after it. */
interface OidcBench {
  readonly provider: OidcServer;
  readonly culprit: TestCulprit;
  readonly settings: OidcSettings;
  open(): OidcBrowser;
  /** A person with an address of their own at the provider. */
  addPerson(name: string, claims?: JsonObject): string;
}

export function useOidcBench(options: TestCulpritOptions = {}): OidcBench {
  let held: { provider: OidcServer; culprit: TestCulprit; settings: OidcSettings } | null = null;
  let found: OidcSettings | null = null;
  beforeAll(async () => {
    const provider = await startOidcServer();
    const settings = oidcSettingsFor(provider);
    found = { ...settings };
    const culprit = await startCulprit({ oidc: settings, appUrl: APP, ...options });
    provider.serve(culprit.baseUrl, culprit.url);
    held = { provider, culprit, settings };
  });
  afterAll(async () => {
    await held?.culprit.stop();
    await held?.provider.close();
  });
  afterEach(() => {
    const { provider, culprit, settings } = bench();
    Object.assign(settings, found);
    Object.assign(culprit.signInSettings, { signup: 'open', signupDomains: [], codesFor: 'everyone' });
    provider.tamper('token', null);
    provider.tamper('me', null);
    provider.setDown(false);
  });

  function bench() {
    if (held === null) throw new Error('the service is not started yet');
    return held;
  }

  return {
    get provider() {
      return bench().provider;
    },
    get culprit() {
      return bench().culprit;
    },
    get settings() {
      return bench().settings;
    },
    open: () => openOidcBrowser(bench().culprit, bench().provider),
    addPerson(name, claims = {}) {
      bench().provider.people.set(name, {
        email: `${name}@example.test`,
        email_verified: true,
        ...claims,
      });
      return name;
    },
  };
}
