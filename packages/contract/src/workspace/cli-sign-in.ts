import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { RequestId } from '../schemas/identifiers.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { DeviceRequest } from './github.ts';
import { CreatedMemberToken, TokenLabel } from './tokens.ts';

/** Sign-in of a program by whatever the browser of its person can do (docs/contract/team-workflow.md 9.5). */

const CliRequestId = RequestId('Id of the sign-in, which is its only proof');
const UserCode = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'The code that the program shows, in any case and with or without its hyphen',
});

export const startCliSignIn = defineEndpoint({
  id: 'startCliSignIn',
  method: 'POST',
  path: '/v1/auth/cli/start',
  summary: 'Start the sign-in of a program, which a signed-in person approves in the browser',
  auth: 'public',
  body: Closed({ label: TokenLabel }),
  responses: { 200: DeviceRequest },
  errors: ['rate_limited'],
});

/** The state of the sign-in of a program. */
export const CliSignInState = Named('CliSignInState', {
  status: Type.Enum(['pending', 'approved', 'claimed', 'denied', 'expired']),
  interval_seconds: Type.Integer({ minimum: 1, description: 'Pause between polls' }),
  expires_at: Timestamp,
});
export type CliSignInState = Static<typeof CliSignInState>;

export const pollCliSignIn = defineEndpoint({
  id: 'pollCliSignIn',
  method: 'POST',
  path: '/v1/auth/cli/poll',
  summary: 'Get the state of the sign-in of a program',
  auth: 'public',
  body: Closed({ request_id: CliRequestId }),
  responses: { 200: CliSignInState },
  errors: ['device_request_not_found', 'rate_limited'],
});

export const claimCliSignIn = defineEndpoint({
  id: 'claimCliSignIn',
  method: 'POST',
  path: '/v1/auth/cli/claim',
  summary: 'Turn an approved sign-in of a program into a member token, once',
  auth: 'public',
  body: Closed({ request_id: CliRequestId }),
  responses: { 200: Closed({ token: CreatedMemberToken }) },
  errors: [
    'device_request_not_found',
    'device_request_not_claimable',
    'resource_limit_reached',
    'rate_limited',
  ],
});

/** The facts about a program that a person sees before they approve it. */
export const CliSignInOffer = Named('CliSignInOffer', {
  user_code: Type.String(),
  label: Type.String({ description: 'Name given by the program; not verified' }),
  address_class: Type.String({ description: 'Kind of network of the program, such as `public_ipv4`' }),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type CliSignInOffer = Static<typeof CliSignInOffer>;

const success = Closed({ success: Type.Literal(true) });
const codeBody = Closed({ user_code: UserCode });

export const readCliSignIn = defineEndpoint({
  id: 'readCliSignIn',
  method: 'POST',
  path: '/v1/auth/cli/read',
  summary: 'Get the program that shows a code, before it is approved',
  auth: 'session',
  scope: { of: 'person' },
  body: codeBody,
  responses: { 200: Closed({ offer: CliSignInOffer }) },
  errors: ['device_request_not_found', 'rate_limited'],
});

export const approveCliSignIn = defineEndpoint({
  id: 'approveCliSignIn',
  method: 'POST',
  path: '/v1/auth/cli/approve',
  summary: 'Let the program that shows a code act as the person of the session',
  auth: 'session',
  scope: { of: 'person' },
  body: Closed({
    user_code: UserCode,
    access: Type.Enum(['full', 'read'], { description: 'Access of the token' }),
  }),
  responses: { 200: success },
  errors: ['device_request_not_found', 'rate_limited'],
});

export const denyCliSignIn = defineEndpoint({
  id: 'denyCliSignIn',
  method: 'POST',
  path: '/v1/auth/cli/deny',
  summary: 'Refuse the program that shows a code',
  auth: 'session',
  scope: { of: 'person' },
  body: codeBody,
  responses: { 200: success },
  errors: ['device_request_not_found', 'rate_limited'],
});
