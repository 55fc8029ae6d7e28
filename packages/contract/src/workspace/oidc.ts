import Type from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed } from '../schemas/closed-object.ts';
import { ReturnTo } from './return-to.ts';

/** The words of `?error=` on the dashboard's sign-in page (docs/contract/team-workflow.md 9.3). */
export type OidcSignInFailure =
  | 'oidc_cancelled'
  | 'oidc_email_missing'
  | 'oidc_group_required'
  | 'oidc_identity_conflict'
  | 'signup_closed'
  | 'oidc_unavailable';

export const startOidcSignIn = defineEndpoint({
  id: 'startOidcSignIn',
  method: 'GET',
  path: '/v1/auth/oidc/start',
  summary: 'Start a browser sign-in: redirects to the OpenID Connect provider',
  auth: 'public',
  query: Closed({ return_to: Type.Optional(ReturnTo) }),
  responses: { 302: 'empty' },
  errors: ['rate_limited', 'auth_not_configured'],
});

export const finishOidcSignIn = defineEndpoint({
  id: 'finishOidcSignIn',
  method: 'GET',
  path: '/v1/auth/oidc/callback',
  summary: 'Finish a browser sign-in: the provider redirects the browser here, and on to the dashboard',
  auth: 'public',
  query: Closed({
    code: Type.Optional(Type.String()),
    state: Type.Optional(Type.String()),
    error: Type.Optional(
      Type.String({ description: 'Error code that the provider sends when there is no `code`' }),
    ),
    iss: Type.Optional(Type.String({ description: 'Issuer of the response, which must be the provider' })),
  }),
  ignoresUnknownQuery: true,
  conditions: ['One of `code` and `error` is required.'],
  responses: { 302: 'empty' },
  errors: ['invalid_oauth_state', 'rate_limited', 'auth_not_configured'],
});

export const logOutByProvider = defineEndpoint({
  id: 'logOutByProvider',
  method: 'POST',
  path: '/v1/auth/oidc/backchannel-logout',
  summary: 'End the sessions in a logout token of the OpenID Connect provider',
  auth: 'public',
  body: 'bytes',
  bodyBytesMax: 65_536,
  conditions: [
    'The body is a form whose `logout_token` is signed by the provider, for this client and unused.',
  ],
  responses: { 200: 'empty' },
  errors: ['auth_not_configured'],
});
