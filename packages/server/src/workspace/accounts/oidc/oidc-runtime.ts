import type { Runtime } from '../../../runtime.ts';
import type { SyncGroups } from './group-sync.ts';
import { createOidcProvider, type OidcProvider } from './oidc-provider.ts';
import type { OidcSettings } from './oidc-settings.ts';

/** Keeps the state of a sign-in in its browser. */
export const OIDC_COOKIE = { name: 'svc_oidc', path: '/v1/auth/oidc' };

/** The runtime of an installation that has a provider, with what is made once from it to speak to the provider. */
export interface OidcRuntime extends Runtime {
  readonly oidc: OidcSettings;
  readonly oidcProvider: OidcProvider;
  /** The address to which the provider sends browsers back. */
  readonly oidcCallbackUrl: string;
  readonly syncGroups: SyncGroups;
}

/** Null without a provider. */
export function openOidc(runtime: Runtime, syncGroups: SyncGroups): OidcRuntime | null {
  const { oidc, baseUrl } = runtime;
  if (oidc === null) return null;
  return {
    ...runtime,
    oidc,
    oidcProvider: createOidcProvider(oidc),
    oidcCallbackUrl: `${baseUrl}/v1/auth/oidc/callback`,
    syncGroups,
  };
}
