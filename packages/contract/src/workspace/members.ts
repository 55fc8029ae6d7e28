import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/**
 * The roles that a person can be given; there is one owner, who is never created by the API (docs/contract/incidents.md
 * 7.5).
 */
export const CollaboratorRole = Type.Enum(['admin', 'member']);
export type CollaboratorRole = Static<typeof CollaboratorRole>;

/** A person's place in a project (docs/contract/incidents.md 7.5). */
export const ProjectMember = Named('ProjectMember', {
  user_id: AnswerId(null),
  email: Type.String(),
  role: Type.Enum(['owner', 'admin', 'member']),
  membership_type: Type.Enum(['owner', 'collaborator']),
  avatar_url: Nullable(Type.String({ description: 'Always null: avatars are not supported' })),
  created_at: Timestamp,
});
export type ProjectMember = Static<typeof ProjectMember>;

const memberParams = Closed({ id: PathId('project'), userId: PathId('member') });
const memberAnswer = Closed({ member: ProjectMember });

export const listMembers = defineEndpoint({
  id: 'listMembers',
  method: 'GET',
  path: '/v1/projects/:id/members',
  summary: 'List the people of a project, the owner first, then by the time they joined',
  ...OF_PROJECT,
  role: 'admin',
  query: Closed(pageQuery),
  responses: {
    200: Closed({ members: Type.Array(ProjectMember), next_cursor: NextCursor }),
  },
});

export const changeMemberRole = defineEndpoint({
  id: 'changeMemberRole',
  method: 'PATCH',
  path: '/v1/projects/:id/members/:userId',
  summary: 'Change the role of a collaborator; the same role again changes nothing',
  scope: { of: 'project_record', kind: 'project_member', project: 'params.id', id: 'params.userId' },
  role: 'admin',
  params: memberParams,
  body: Closed({ role: CollaboratorRole }),
  responses: { 200: memberAnswer },
  errors: ['owner_role_change_not_allowed'],
});

export const removeMember = defineEndpoint({
  id: 'removeMember',
  method: 'DELETE',
  path: '/v1/projects/:id/members/:userId',
  summary: 'Remove a collaborator, who then gets 404 for the project',
  scope: { of: 'project_record', kind: 'project_member', project: 'params.id', id: 'params.userId' },
  role: 'admin',
  params: memberParams,
  body: 'none',
  responses: { 200: memberAnswer },
  errors: ['owner_removal_not_allowed'],
});

export const leaveProject = defineEndpoint({
  id: 'leaveProject',
  method: 'DELETE',
  path: '/v1/projects/:id/membership',
  summary: 'Leave a project of another owner',
  ...OF_PROJECT,
  group: 'members',
  body: 'none',
  responses: { 200: memberAnswer },
  errors: ['owner_removal_not_allowed'],
});
