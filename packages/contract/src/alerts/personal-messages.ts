import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { Nullable } from '../schemas/nullable.ts';

const DIGEST_MINUTES_MAX = 1440;

const way = (description: string) => Type.Enum(['off', 'mail'], { description });
const digestMinutes = Type.Integer({
  minimum: 0,
  maximum: DIGEST_MINUTES_MAX,
  description: 'How long messages are collected into one mail',
});
const Ntfy = Named('PersonalNtfy', {
  url: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'The address of the topic, such as one at ntfy.sh',
  }),
  token: Type.Optional(
    Type.String({
      maxLength: 500,
      pattern: '^[!-~]+$',
      description: 'Access token (optional); responses have `***` and its last four characters',
    }),
  ),
});
const fields = {
  assigned: way('Another person assigned an incident to you or a team of yours'),
  mentioned: way('A note mentions you or a team of yours'),
  own_regressed: way('An incident that is assigned to you or a team of yours regressed'),
  own_woke: way('An incident that you snoozed, or that is assigned to you or a team of yours, woke'),
  watched: way('A note about an incident that is assigned to you or a team of yours, or that you watch'),
  digest_minutes: digestMinutes,
  ntfy: Nullable(Ntfy),
};

export const PersonalSettings = Named('PersonalSettings', fields);
export type PersonalSettings = Static<typeof PersonalSettings>;

const answer = Closed({ notifications: PersonalSettings });

export const getPersonalSettings = defineEndpoint({
  id: 'getPersonalSettings',
  method: 'GET',
  path: '/v1/account/notifications',
  summary: 'Get your notification settings',
  scope: { of: 'person' },
  group: 'account',
  responses: { 200: answer },
});

export const updatePersonalSettings = defineEndpoint({
  id: 'updatePersonalSettings',
  method: 'PATCH',
  path: '/v1/account/notifications',
  summary: 'Change your notification settings',
  scope: { of: 'person' },
  group: 'account',
  body: Type.Partial(Type.Object(fields), {
    additionalProperties: false,
    minProperties: 1,
    description: 'At least one field',
  }),
  conditions: ['`ntfy` is a topic on a server that the outbound policy allows; null removes it.'],
  responses: { 200: answer },
  errors: ['blocked_target'],
});

export const unsubscribe = defineEndpoint({
  id: 'unsubscribe',
  method: 'POST',
  path: '/v1/account/notifications/unsubscribe',
  summary: 'Stop all personal mails to a person, with only the token from the link in one of them',
  auth: 'public',
  group: 'account',
  body: Closed({ token: Type.String({ maxLength: 200 }) }),
  responses: { 200: Closed({ success: Type.Literal(true) }) },
  errors: ['invalid_token', 'rate_limited'],
});
