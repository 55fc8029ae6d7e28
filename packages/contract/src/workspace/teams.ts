import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { NAME_LENGTH_MAX } from '../incidents/triage-words.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { HANDLE_PATTERN } from './people.ts';

/** Teams of an organization, and people of one team. */
export const TEAMS_MAX = 200;
export const TEAM_MEMBERS_MAX = 500;

const TeamMember = Named('TeamMember', {
  user_id: AnswerId(null),
  name: Nullable(Type.String()),
  email: Type.String(),
  handle: Type.String(),
  source: Type.Enum(['manual', 'oidc'], {
    description: 'Added by people, or by groups of the sign-in provider',
  }),
});

/** A named set of people of an organization (docs/contract/team-workflow.md 2.4). It gives no access. */
export const Team = Named('Team', {
  team_id: AnswerId(null),
  organization_id: AnswerId(null),
  slug: Type.String({ description: 'Name for mentions in notes' }),
  name: Type.String(),
  members: Type.Array(TeamMember, {
    description: 'By name; excludes people without access to any project of the organization',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Team = Static<typeof Team>;

const teamParams = Closed({ id: PathId('project'), teamId: PathId('team') });
const memberParams = Closed({ id: PathId('project'), teamId: PathId('team'), userId: PathId('member') });
const slug = Type.String({
  pattern: HANDLE_PATTERN,
  description: 'Must be unique among the teams of the organization and the people of its projects',
});
const name = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern: '\\S' });
const teamAnswer = Closed({ team: Team });
const ofTeam = { of: 'project_record', kind: 'team', project: 'params.id', id: 'params.teamId' } as const;

export const listTeams = defineEndpoint({
  id: 'listTeams',
  method: 'GET',
  path: '/v1/projects/:id/teams',
  summary: "List the teams of the project's organization, by name",
  ...OF_PROJECT,
  group: 'members',
  responses: { 200: Closed({ teams: Type.Array(Team) }) },
});

export const createTeam = defineEndpoint({
  id: 'createTeam',
  method: 'POST',
  path: '/v1/projects/:id/teams',
  summary: "Create a team in the project's organization",
  ...OF_PROJECT,
  role: 'admin',
  group: 'members',
  body: Closed({ slug, name }),
  conditions: [`An organization has at most ${TEAMS_MAX} teams.`],
  responses: { 201: teamAnswer },
  errors: ['upgrade_required', 'handle_taken', 'resource_limit_reached'],
});

export const updateTeam = defineEndpoint({
  id: 'updateTeam',
  method: 'PATCH',
  path: '/v1/projects/:id/teams/:teamId',
  summary: 'Rename a team',
  scope: ofTeam,
  role: 'admin',
  group: 'members',
  params: teamParams,
  body: Closed(
    { slug: Type.Optional(slug), name: Type.Optional(name) },
    { minProperties: 1, description: 'At least one field' },
  ),
  responses: { 200: teamAnswer },
  errors: ['handle_taken'],
});

export const deleteTeam = defineEndpoint({
  id: 'deleteTeam',
  method: 'DELETE',
  path: '/v1/projects/:id/teams/:teamId',
  summary: 'Delete a team; its incidents become unassigned',
  scope: ofTeam,
  role: 'admin',
  group: 'members',
  params: teamParams,
  body: 'none',
  responses: { 200: teamAnswer },
});

export const addTeamMember = defineEndpoint({
  id: 'addTeamMember',
  method: 'POST',
  path: '/v1/projects/:id/teams/:teamId/members/:userId',
  summary: 'Add a person with access to a project of the organization to a team',
  scope: ofTeam,
  role: 'admin',
  group: 'members',
  params: memberParams,
  body: 'none',
  conditions: [`A team has at most ${TEAM_MEMBERS_MAX} people.`],
  responses: { 200: teamAnswer },
  errors: ['member_not_found', 'resource_limit_reached'],
});

export const removeTeamMember = defineEndpoint({
  id: 'removeTeamMember',
  method: 'DELETE',
  path: '/v1/projects/:id/teams/:teamId/members/:userId',
  summary: 'Remove a person from a team',
  scope: ofTeam,
  role: 'admin',
  group: 'members',
  params: memberParams,
  body: 'none',
  responses: { 200: teamAnswer },
  errors: ['member_not_found'],
});
