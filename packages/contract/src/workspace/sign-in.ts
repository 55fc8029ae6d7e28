import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { RequestEmail } from './request-email.ts';

/** The cookie of a browser session (docs/contract/account.md 2.5). */
export const SESSION_COOKIE = 'svc_session';
/**
 * The cookie of the browser that asks for a code, without which the code is worth nothing (docs/contract/account.md 2.2).
 * Over https its name begins with `__Host-`.
 */
export const SIGN_IN_COOKIE = 'svc_sign_in';
/** The same value on https: browsers let no other host set a cookie with this prefix. */
export const SESSION_HOST_COOKIE = '__Host-svc_session';
/** The header in which a page repeats `csrf_token` with every change it asks for (docs/contract/account.md 2.6). */
export const CSRF_HEADER = 'X-CSRF-Token';

/** A signed-in browser (docs/contract/account.md 2.4). */
export const Session = Named('Session', {
  session_id: AnswerId(null),
  user_id: AnswerId(null),
  email: Type.String(),
  email_verified_at: Nullable(Timestamp),
  organization_id: AnswerId(null),
  organization_plan: Type.Enum(['free', 'solo', 'team']),
  role: Type.Enum(['owner', 'member']),
  created_at: Timestamp,
  expires_at: Type.String({
    format: 'date-time',
    description: 'Latest end of the session, which also ends 24 hours after its last use',
  }),
  revoked_at: Nullable(Timestamp),
  is_operator: Type.Boolean({ description: 'Can see the health of the installation (`/v1/operator`)' }),
  avatar_url: Nullable(Type.String({ description: 'Always null: avatars are not supported' })),
  csrf_token: Type.String({
    pattern: '^[A-Za-z0-9_-]{43}$',
    description: `Sent as \`${CSRF_HEADER}\` with POST, PUT, PATCH and DELETE by cookie`,
  }),
  auth_methods: Closed(
    { email: Type.Boolean(), github: Type.Boolean(), oidc: Type.Boolean() },
    { description: 'The sign-in methods that this account has used' },
  ),
});
export type Session = Static<typeof Session>;

const RequestedTrialPlan = Type.Enum(['solo', 'team'], {
  description: 'Starts this trial at the first sign-in if the account is eligible',
});
const sessionAnswer = Closed({ session: Session });
const success = Closed({ success: Type.Literal(true) });

export const requestSignInCode = defineEndpoint({
  id: 'requestSignInCode',
  method: 'POST',
  path: '/v1/auth/request-code',
  summary:
    'Request a sign-in code by e-mail; the response is the same for every address and sets the cookie that the code requires',
  auth: 'public',
  body: Closed({
    email: RequestEmail,
    accepted_terms: Type.Literal(true, { description: 'The terms of this service were accepted' }),
    requested_trial_plan: Type.Optional(RequestedTrialPlan),
  }),
  responses: { 200: success },
  errors: ['rate_limited', 'auth_not_configured'],
});

export const verifySignInCode = defineEndpoint({
  id: 'verifySignInCode',
  method: 'POST',
  path: '/v1/auth/verify-code',
  summary: 'Sign in with the code and the cookie of its request; sets the session cookie',
  auth: 'public',
  body: Closed({
    email: RequestEmail,
    code: Type.String({ pattern: '^[0-9]{6}$', description: 'Valid once, for 10 minutes' }),
    requested_trial_plan: Type.Optional(RequestedTrialPlan),
  }),
  responses: { 200: sessionAnswer },
  errors: ['invalid_code', 'rate_limited', 'auth_not_configured'],
});

export const getSession = defineEndpoint({
  id: 'getSession',
  method: 'GET',
  path: '/v1/auth/session',
  summary: 'Get the session of the cookie',
  auth: 'session',
  scope: { of: 'person' },
  responses: { 200: sessionAnswer },
});

export const logOut = defineEndpoint({
  id: 'logOut',
  method: 'POST',
  path: '/v1/auth/logout',
  summary: 'End the session of the cookie',
  auth: 'session',
  scope: { of: 'person' },
  body: 'none',
  responses: { 200: success },
});

/** A live session of the account, as its person is shown it. */
export const AccountSession = Named('AccountSession', {
  session_id: AnswerId(null),
  created_at: Timestamp,
  last_used_at: Timestamp,
  address_class: Nullable(
    Type.String({ description: 'Kind of network at the sign-in, such as `public_ipv4`; null: not known' }),
  ),
  browser: Nullable(Type.String({ description: 'Browser and system at the sign-in; null: not known' })),
  is_current: Type.Boolean({ description: 'The session of this request' }),
});
export type AccountSession = Static<typeof AccountSession>;

/** Live sessions of one account (docs/contract/account.md 2.5). */
export const LIVE_SESSIONS_MAX = 20;

export const listSessions = defineEndpoint({
  id: 'listSessions',
  method: 'GET',
  path: '/v1/account/sessions',
  summary: 'List the active sessions of the account, most recently used first',
  auth: 'session',
  scope: { of: 'person' },
  responses: {
    200: Closed({ sessions: Type.Array(AccountSession, { maxItems: LIVE_SESSIONS_MAX }) }),
  },
});

export const endOwnSession = defineEndpoint({
  id: 'endOwnSession',
  method: 'DELETE',
  path: '/v1/account/sessions/:sessionId',
  summary: 'End a session of the account',
  auth: 'session',
  scope: { of: 'person' },
  params: Closed({ sessionId: Type.String({ maxLength: 128 }) }),
  body: 'none',
  responses: { 200: success },
});
