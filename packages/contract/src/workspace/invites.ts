import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { CollaboratorRole } from './members.ts';
import { RequestEmail } from './request-email.ts';

/** An invitation into a project (docs/contract/incidents.md 7.5). Its token is in the mail alone. */
export const Invite = Named('Invite', {
  invite_id: AnswerId(null),
  project_id: AnswerId('proj'),
  email: Type.String(),
  role: CollaboratorRole,
  invited_by_user_id: AnswerId(null),
  accepted_at: Nullable(Timestamp),
  canceled_at: Nullable(Timestamp),
  expires_at: Timestamp,
  created_at: Timestamp,
});
export type Invite = Static<typeof Invite>;

/** The membership that accepting an invite gives (docs/contract/account.md 5). */
export const Membership = Named('Membership', {
  project_id: AnswerId('proj'),
  user_id: AnswerId(null),
  role: CollaboratorRole,
  membership_type: Type.Literal('collaborator'),
});
export type Membership = Static<typeof Membership>;

const inviteAnswer = Closed({ invite: Invite });

export const listInvites = defineEndpoint({
  id: 'listInvites',
  method: 'GET',
  path: '/v1/projects/:id/invites',
  summary: 'List the open invites of a project, newest first',
  ...OF_PROJECT,
  role: 'admin',
  query: Closed(pageQuery),
  responses: {
    200: Closed({ invites: Type.Array(Invite), next_cursor: NextCursor }),
  },
});

export const invitePerson = defineEndpoint({
  id: 'invitePerson',
  method: 'POST',
  path: '/v1/projects/:id/invite',
  summary: 'Invite a person by e-mail; the link works once, within 7 days',
  ...OF_PROJECT,
  role: 'admin',
  group: 'invites',
  body: Closed({ email: RequestEmail, role: Type.Optional(CollaboratorRole) }),
  responses: { 201: inviteAnswer },
  errors: [
    'upgrade_required',
    'email_verification_required',
    'member_already_exists',
    'invite_already_exists',
    'resource_limit_reached',
    'rate_limited',
  ],
});

export const cancelInvite = defineEndpoint({
  id: 'cancelInvite',
  method: 'DELETE',
  path: '/v1/projects/:id/invites/:inviteId',
  summary: 'Cancel an open invite',
  scope: { of: 'project_record', kind: 'invite', project: 'params.id', id: 'params.inviteId' },
  role: 'admin',
  params: Closed({ id: PathId('project'), inviteId: PathId('invite') }),
  body: 'none',
  responses: { 200: inviteAnswer },
});

export const readInvite = defineEndpoint({
  id: 'readInvite',
  method: 'POST',
  path: '/v1/auth/project-invite/read',
  summary: 'Get the project and the sender of an invite, with only its token',
  auth: 'public',
  body: Closed({ token: Type.String() }),
  responses: {
    200: Closed({
      offer: Closed({ project_name: Type.String(), invited_by_email: Type.String(), role: CollaboratorRole }),
    }),
  },
  errors: ['invalid_token', 'rate_limited'],
});

/** Both addresses of the same endpoint, the newer first. */
function acceptance<const Id extends string, const Path extends string>(id: Id, path: Path) {
  return defineEndpoint({
    id,
    method: 'POST',
    path,
    summary: 'Accept an invite while signed in with the invited address',
    auth: 'session',
    scope: { of: 'person' },
    group: 'invites',
    body: Closed({ token: Type.String() }),
    responses: { 200: Closed({ membership: Membership }) },
    errors: ['invalid_token', 'invite_email_mismatch', 'shared_access_suspended', 'rate_limited'],
  });
}

export const acceptInvite = acceptance('acceptInvite', '/v1/auth/project-invite/accept');
export const acceptInviteAlias = acceptance('acceptInviteAlias', '/v1/auth/accept-invite');
