import type { Secret } from '../../../platform/secrets/secret.ts';
import type { TokenStaleness } from '../../tokens/token-staleness.ts';

/** The OpenID Connect provider of this installation (docs/contract/team-workflow.md 9.1). */
export interface OidcSettings {
  /** In the provider's spelling, but for a slash at its end. */
  issuer: string;
  clientId: string;
  /** Null: a public client, which proves itself with PKCE alone. */
  clientSecret: Secret | null;
  /** On the button. */
  name: string;
  /** Separated by spaces. */
  scopes: string;
  groupsClaim: string;
  /** If there are any, only people in one of them can sign in. */
  allowedGroups: readonly string[];
  /** An address without `email_verified` counts as verified. */
  isEmailTrusted: boolean;
  sessionSeconds: number;
  /** Null: member tokens live as long as their person lets them. */
  tokenStaleness: TokenStaleness | null;
  /** A first sign-in creates an account, whatever sign-up with a code says. */
  isSignupOn: boolean;
  /** For one request to the provider, its body included. */
  requestTimeoutMs: number;
}

/** The greatest difference between the clocks of provider and service. */
export const CLOCK_TOLERANCE_SECONDS = 30;

/** Discovery, token, keys and userinfo still end before the 30 s a request of ours may take. */
export const OIDC_REQUEST_TIMEOUT_MS = 6_000;

/** Returns true if two texts are one issuer: how it is written at its end is no other provider. */
export function isSameIssuer(a: string, b: string): boolean {
  return a.replace(/\/$/, '') === b.replace(/\/$/, '');
}
