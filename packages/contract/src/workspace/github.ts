import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, RequestId } from '../schemas/identifiers.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { ReturnTo } from './return-to.ts';
import { CreatedMemberToken, TokenLabel } from './tokens.ts';

/** Longer than any token GitHub makes (docs/contract/account.md 3.5). */
export const GITHUB_TOKEN_LENGTH_MAX = 512;

/** The words of `?error=` on the dashboard's sign-in page (docs/contract/account.md 3.2). */
export type GithubSignInFailure =
  | 'github_cancelled'
  | 'github_email_missing'
  | 'signup_closed'
  | 'github_identity_conflict'
  | 'github_unavailable';

const AcceptedTerms = Type.Literal(true, { description: 'The terms of this service were accepted' });
const DeviceRequestId = RequestId('Id of the device request, which is its only proof');

export const startGithubSignIn = defineEndpoint({
  id: 'startGithubSignIn',
  method: 'GET',
  path: '/v1/auth/github/start',
  summary: 'Start a browser sign-in: redirects to GitHub',
  auth: 'public',
  query: Closed({ return_to: Type.Optional(ReturnTo) }),
  responses: { 302: 'empty' },
  errors: ['rate_limited', 'auth_not_configured'],
});

export const finishGithubSignIn = defineEndpoint({
  id: 'finishGithubSignIn',
  method: 'GET',
  path: '/v1/auth/github/callback',
  summary: 'Finish a browser sign-in: GitHub redirects the browser here, and on to the dashboard',
  auth: 'public',
  query: Closed({
    code: Type.Optional(Type.String()),
    state: Type.Optional(Type.String()),
    error: Type.Optional(
      Type.String({ description: 'Error code that GitHub sends when there is no `code`' }),
    ),
    iss: Type.Optional(Type.String({ description: 'Issuer of the response, which must be GitHub' })),
  }),
  ignoresUnknownQuery: true,
  conditions: ['One of `code` and `error` is required.'],
  responses: { 302: 'empty' },
  errors: ['invalid_oauth_state', 'rate_limited', 'auth_not_configured'],
});

/**
 * The data with which a person approves a device: a short code and the page to type it on (docs/contract/account.md
 * 3.4).
 */
export const DeviceRequest = Named('DeviceRequest', {
  request_id: AnswerId(null),
  user_code: Type.String(),
  verification_uri: Type.String(),
  interval_seconds: Type.Integer({ minimum: 1, description: 'Pause between polls' }),
  expires_at: Timestamp,
});
export type DeviceRequest = Static<typeof DeviceRequest>;

export const startDeviceRequest = defineEndpoint({
  id: 'startDeviceRequest',
  method: 'POST',
  path: '/v1/auth/github/device/start',
  summary: 'Start a sign-in on a device without a browser',
  auth: 'public',
  body: Closed({ accepted_terms: AcceptedTerms }),
  responses: { 200: DeviceRequest },
  errors: ['rate_limited', 'auth_not_configured', 'github_unavailable'],
});

const pending = Closed({
  status: Type.Literal('pending'),
  interval_seconds: Type.Integer({ minimum: 1 }),
  expires_at: Timestamp,
});
const approved = Closed({ status: Type.Literal('approved'), expires_at: Timestamp });
const claimed = Closed({ status: Type.Literal('claimed'), expires_at: Timestamp });
const denied = Closed({
  status: Type.Literal('denied'),
  reason: Type.Literal('access_denied'),
  expires_at: Timestamp,
});
const expired = Closed({
  status: Type.Literal('expired'),
  reason: Type.Literal('expired_token'),
  expires_at: Timestamp,
});
const rejected = Closed({
  status: Type.Literal('rejected'),
  reason: Type.Enum(['github_email_missing', 'signup_closed', 'github_identity_conflict']),
  expires_at: Timestamp,
});

/** The state of a device request (docs/contract/account.md 3.4). */
export const DeviceRequestState = Type.Union([pending, approved, claimed, denied, expired, rejected], {
  title: 'DeviceRequestState',
});
export type DeviceRequestState = Static<typeof DeviceRequestState>;

export const pollDeviceRequest = defineEndpoint({
  id: 'pollDeviceRequest',
  method: 'POST',
  path: '/v1/auth/github/device/poll',
  summary: 'Get the state of a device request',
  auth: 'public',
  body: Closed({ request_id: DeviceRequestId }),
  responses: { 200: DeviceRequestState },
  errors: ['device_request_not_found', 'rate_limited', 'auth_not_configured', 'github_unavailable'],
});

const tokenAnswer = Closed({ token: CreatedMemberToken });

export const claimDeviceRequest = defineEndpoint({
  id: 'claimDeviceRequest',
  method: 'POST',
  path: '/v1/auth/github/device/claim',
  summary: 'Turn an approved device request into a member token, once',
  auth: 'public',
  body: Closed({ request_id: DeviceRequestId, label: TokenLabel }),
  responses: { 200: tokenAnswer },
  errors: [
    'device_request_not_found',
    'device_request_not_claimable',
    'resource_limit_reached',
    'rate_limited',
    'auth_not_configured',
  ],
});

export const exchangeGithubToken = defineEndpoint({
  id: 'exchangeGithubToken',
  method: 'POST',
  path: '/v1/auth/github/token/exchange',
  summary: 'Exchange a GitHub access token for a member token',
  auth: 'public',
  body: Closed({
    github_access_token: Type.String({ minLength: 1, maxLength: GITHUB_TOKEN_LENGTH_MAX }),
    label: TokenLabel,
    accepted_terms: AcceptedTerms,
  }),
  responses: { 200: tokenAnswer },
  errors: [
    'github_email_missing',
    'invalid_github_token',
    'github_identity_not_allowed',
    'resource_limit_reached',
    'rate_limited',
    'auth_not_configured',
    'github_unavailable',
  ],
});
