import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { NAME_LENGTH_MAX } from '../incidents/triage-words.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';

/** People in one answer (docs/contract/team-workflow.md 2.1). */
export const PEOPLE_MAX = 2000;

/** By which people are mentioned, and under which they appear without a name. */
export const HANDLE_PATTERN = '^[a-z0-9][a-z0-9._-]{1,38}$';

/** A person to whom an incident can be given. */
export const Person = Named('Person', {
  user_id: AnswerId(null),
  name: Nullable(Type.String()),
  email: Type.String(),
  handle: Type.String(),
  role: Type.Enum(['owner', 'admin', 'member']),
  is_me: Type.Boolean({ description: 'Whether it is the caller' }),
});
export type Person = Static<typeof Person>;

/** The people whom a word names: `me`, a handle with or without `@`, an address, a name or an id. */
export function peopleNamed(people: readonly Person[], word: string): Person[] {
  const name = word.replace(/^@/, '').toLowerCase();
  return people.filter(
    ({ is_me: isMe, user_id: id, handle, email, name: full }) =>
      (name === 'me' && isMe) || [id, handle, email, full].some((each) => each?.toLowerCase() === name),
  );
}

/** A team to which an incident of a project can be given. */
const ProjectTeam = Named('ProjectTeam', {
  team_id: AnswerId(null),
  slug: Type.String(),
  name: Type.String(),
});
type ProjectTeam = Static<typeof ProjectTeam>;

/** The teams that a word names: a slug with or without `@`, a name or an id. */
export function teamsNamed(teams: readonly ProjectTeam[], word: string): ProjectTeam[] {
  const name = word.replace(/^@/, '').toLowerCase();
  return teams.filter(({ team_id: id, slug, name: full }) =>
    [id, slug, full].some((each) => each.toLowerCase() === name),
  );
}

/** Everyone whom a word names, in the form of a request: people as `peopleNamed` finds them, and teams. */
export function assigneesNamed(
  { people, teams }: People,
  word: string,
): ({ user_id: string } | { team_id: string })[] {
  return [
    ...peopleNamed(people, word).map(({ user_id }) => ({ user_id })),
    ...teamsNamed(teams, word).map(({ team_id }) => ({ team_id })),
  ];
}

export const People = Closed({
  people: Type.Array(Person),
  teams: Type.Array(ProjectTeam, { description: 'Those with at least one of the people' }),
});
export type People = Static<typeof People>;

export const listPeople = defineEndpoint({
  id: 'listPeople',
  method: 'GET',
  path: '/v1/projects/:id/people',
  summary: 'List the people and teams of a project for assignments and mentions',
  ...OF_PROJECT,
  group: 'members',
  responses: { 200: People },
});

const Profile = Named('Profile', { name: Nullable(Type.String()), handle: Type.String() });
export type Profile = Static<typeof Profile>;

export const updateProfile = defineEndpoint({
  id: 'updateProfile',
  method: 'PATCH',
  path: '/v1/account/profile',
  summary: 'Change the name and handle of the caller',
  scope: { of: 'person' },
  group: 'account',
  body: Closed(
    {
      name: Type.Optional(
        Nullable(
          Type.String({
            minLength: 1,
            maxLength: NAME_LENGTH_MAX,
            pattern: '\\S',
            description: 'Null removes it',
          }),
        ),
      ),
      handle: Type.Optional(Type.String({ pattern: HANDLE_PATTERN })),
    },
    { minProperties: 1, description: 'At least one field' },
  ),
  responses: { 200: Closed({ profile: Profile }) },
  errors: ['handle_taken'],
});
