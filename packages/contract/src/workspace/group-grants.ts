import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { CollaboratorRole } from './members.ts';

/** Group grants of one organization (docs/contract/team-workflow.md 9.4). */
export const GROUP_GRANTS_MAX = 500;
export const GROUP_NAME_MAX = 200;

/** The role, and the team, that people in a group of the OpenID Connect provider get at each sign-in. */
export const GroupGrant = Named('GroupGrant', {
  grant_id: AnswerId(null),
  group: Type.String(),
  role: CollaboratorRole,
  project_id: Nullable(AnswerId('proj')),
  team_id: Nullable(AnswerId(null)),
  created_at: Timestamp,
});
export type GroupGrant = Static<typeof GroupGrant>;

export const listGroupGrants = defineEndpoint({
  id: 'listGroupGrants',
  method: 'GET',
  path: '/v1/organization/group-grants',
  summary: 'List the roles that groups of the sign-in provider have in the projects of the organization',
  scope: { of: 'organization' },
  role: 'owner',
  responses: {
    200: Closed({ group_grants: Type.Array(GroupGrant, { maxItems: GROUP_GRANTS_MAX }) }),
  },
});

export const createGroupGrant = defineEndpoint({
  id: 'createGroupGrant',
  method: 'POST',
  path: '/v1/organization/group-grants',
  summary: 'Give a group a role in one project, or in all projects of the organization',
  scope: { of: 'organization' },
  role: 'owner',
  body: Closed({
    group: Type.String({
      minLength: 1,
      maxLength: GROUP_NAME_MAX,
      description: 'Name or id as the provider sends it',
    }),
    role: CollaboratorRole,
    project_id: Type.Optional(
      Nullable(RequestId('Project of the organization; null or absent: all, including future ones')),
    ),
    team_id: Type.Optional(
      Nullable(
        RequestId(
          'Team of the organization that people of the group join; null: none. Absent: a grant that exists keeps its team',
        ),
      ),
    ),
  }),
  responses: { 201: Closed({ group_grant: GroupGrant }) },
  errors: ['project_not_found', 'team_not_found', 'resource_limit_reached', 'upgrade_required'],
});

export const deleteGroupGrant = defineEndpoint({
  id: 'deleteGroupGrant',
  method: 'DELETE',
  path: '/v1/organization/group-grants/:grantId',
  summary: 'Revoke a grant; its memberships and places in teams end at the next sign-in of each person',
  scope: { of: 'organization' },
  role: 'owner',
  params: Closed({ grantId: Type.String({ maxLength: 128 }) }),
  body: 'none',
  responses: { 204: 'empty' },
  errors: ['grant_not_found'],
});
