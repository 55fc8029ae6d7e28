import Type, { type Static } from 'typebox';
import { Closed, Named } from '../schemas/closed-object.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { defineEndpoint } from './endpoint.ts';

/** The files that a server distributes, as far as lines to copy name them. */
export const HandedOut = Named('HandedOutPackages', {
  version: Type.String({ description: 'Version of all packages' }),
  script_path: Type.String({
    description: 'Path of the script for pages, below the base URL; its content never changes',
  }),
  script_integrity: Type.String({ description: 'Hash of the script, for the attribute `integrity`' }),
});
export type HandedOut = Static<typeof HandedOut>;

/**
 * The facts about an installation that a client needs before a person signs in (docs/contract/server-additions.md S1).
 */
export const ServerDescription = Named('ServerDescription', {
  version: Type.String(),
  time: Timestamp,
  base_url: Type.String({ description: 'Address of the API' }),
  app_url: Type.String({ description: 'Address for browsers' }),
  auth: Closed({
    email: Type.Enum(['smtp', 'terminal', 'file', 'off'], {
      description:
        'How sign-in codes travel. `terminal` and `file` are named on the machine of the service only; elsewhere they are `off`.',
    }),
    github: Type.Boolean({ description: 'Sign-in with GitHub in the browser' }),
    github_device: Type.Boolean({ description: 'Sign-in with GitHub on devices' }),
    github_exchange: Type.Boolean({ description: 'A GitHub token can be exchanged for a member token' }),
    oidc: Type.Boolean({ description: 'Sign-in with the OpenID Connect provider of this installation' }),
    oidc_name: Nullable(Type.String({ description: 'Name of that provider, for its button' })),
    email_for: Type.Enum(['everyone', 'operators'], {
      description: 'Recipients of sign-in codes: everyone with an account, or only operators',
    }),
  }),
  signup: Type.Enum(['open', 'invited', 'closed']),
  terms_url: Nullable(Type.String()),
  slack: Type.Boolean({ description: 'Slack channels can be connected' }),
  payment_provider: Type.Boolean(),
  plan_source: Type.Enum(['account', 'config']),
  plan_limits: Type.Enum(['enforce', 'off']),
  packages: Nullable(HandedOut),
  features: Type.Array(Type.String(), { description: 'The additions to the API that this server has' }),
});
export type ServerDescription = Static<typeof ServerDescription>;

export const getServer = defineEndpoint({
  id: 'getServer',
  method: 'GET',
  path: '/v1/server',
  summary: 'Describe the installation: its release, addresses, ways to sign in and what it can do',
  auth: 'public',
  responses: { 200: ServerDescription },
});
