import Type, { type Static } from 'typebox';
import { defineEndpoint } from './endpoint.ts';
import { AnswerId } from './identifiers.ts';
import { Nullable } from './nullable.ts';
import { RequestEmail } from './request-email.ts';
import { Timestamp } from './timestamp-schemas.ts';

/** The cookie of a browser session (account.md 2.5). */
export const SESSION_COOKIE = 'svc_session';
/** The header in which a page repeats `csrf_token` with every change it asks for (account.md 2.6). */
export const CSRF_HEADER = 'X-CSRF-Token';

/** A signed-in browser (account.md 2.4). */
export const Session = Type.Object(
  {
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
      description: 'The latest end; a session also ends 24 hours after its last use',
    }),
    revoked_at: Nullable(Timestamp),
    avatar_url: Nullable(Type.String({ description: 'Always null: avatars are not offered' })),
    csrf_token: Type.String({
      pattern: '^[A-Za-z0-9_-]{43}$',
      description: `Sent as \`${CSRF_HEADER}\` with POST, PUT, PATCH and DELETE by cookie`,
    }),
    auth_methods: Type.Object(
      { email: Type.Boolean(), github: Type.Boolean() },
      { additionalProperties: false, description: 'The ways of signing in this account has used' },
    ),
  },
  { additionalProperties: false, title: 'Session' },
);
export type Session = Static<typeof Session>;

const RequestedTrialPlan = Type.Enum(['solo', 'team'], {
  description: 'Starts this trial with a first sign-in, where the account is eligible',
});
const sessionAnswer = Type.Object({ session: Session }, { additionalProperties: false });
const success = Type.Object({ success: Type.Literal(true) }, { additionalProperties: false });

export const requestSignInCode = defineEndpoint({
  id: 'requestSignInCode',
  method: 'POST',
  path: '/v1/auth/request-code',
  summary: 'Ask for a sign-in code by mail; the answer is the same for every address',
  auth: 'public',
  body: Type.Object(
    {
      email: RequestEmail,
      accepted_terms: Type.Literal(true, { description: 'The terms of this service were accepted' }),
      requested_trial_plan: Type.Optional(RequestedTrialPlan),
    },
    { additionalProperties: false },
  ),
  responses: { 200: success },
  errors: ['rate_limited', 'auth_not_configured'],
});

export const verifySignInCode = defineEndpoint({
  id: 'verifySignInCode',
  method: 'POST',
  path: '/v1/auth/verify-code',
  summary: 'Sign in with the code; sets the session cookie',
  auth: 'public',
  body: Type.Object(
    {
      email: RequestEmail,
      code: Type.String({ pattern: '^[0-9]{6}$', description: 'Works once, for 10 minutes' }),
      requested_trial_plan: Type.Optional(RequestedTrialPlan),
    },
    { additionalProperties: false },
  ),
  responses: { 200: sessionAnswer },
  errors: ['invalid_code', 'rate_limited', 'auth_not_configured'],
});

export const getSession = defineEndpoint({
  id: 'getSession',
  method: 'GET',
  path: '/v1/auth/session',
  summary: 'Read the session of the cookie',
  auth: 'session',
  responses: { 200: sessionAnswer },
  errors: [],
});

export const logOut = defineEndpoint({
  id: 'logOut',
  method: 'POST',
  path: '/v1/auth/logout',
  summary: 'End the session of the cookie',
  auth: 'session',
  body: 'none',
  responses: { 200: success },
  errors: [],
});
