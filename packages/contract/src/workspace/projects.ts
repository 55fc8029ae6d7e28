import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { INCIDENT_KEY_PATTERN } from '../incidents/short-id.ts';
import {
  REPOSITORIES_MAX,
  REPOSITORY_FOLDER_PATTERN,
  REPOSITORY_KINDS,
  REPOSITORY_URL_LENGTH_MAX,
} from '../releases/repository-links.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/** Characters of a project's texts once they are trimmed (docs/contract/incidents.md 7.2). */
export const PROJECT_NAME_LENGTH_MAX = 120;
export const ENVIRONMENT_DEFAULT_LENGTH_MAX = 50;
export const SLUG_LENGTH_MAX = 80;

const Count = Type.Integer({ minimum: 0 });

/** Counts of a project; "today" and "month" are UTC (docs/contract/incidents.md 7.2). */
const ProjectMetrics = Named('ProjectMetrics', {
  open_incidents: Count,
  regressed_incidents: Count,
  attention_incidents_today: Type.Integer({
    minimum: 0,
    description: 'First seen or regressed since midnight UTC',
  }),
  opened_incidents_today: Type.Integer({ minimum: 0, description: 'First seen since midnight UTC' }),
  opened_incidents_month: Type.Integer({
    minimum: 0,
    description: 'First seen since the first of the month, UTC',
  }),
  monthly_bundle_requests: Count,
  monthly_raw_ingested_events: Count,
  retained_bundles: Count,
  monthly_alert_deliveries: Count,
});

/** The limit of a project's rules for in-app and library frames (docs/contract/grouping.md 4). */
export const STACK_RULES_MAX = 50;

export const StackRules = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 210,
    pattern: '^\\s*\\S{1,200} (?:own|foreign|ignore)\\s*$',
    description: '`glob own`, `glob foreign` or `glob ignore`; `*` matches any text, `?` one character',
  }),
  {
    maxItems: STACK_RULES_MAX,
    description:
      'Which files and modules of stack traces are in-app or library code, or are ignored; the first matching rule decides, with priority over the client',
  },
);

const groupingFields = {
  stack_rules: StackRules,
  learns_slots: Type.Boolean({
    description:
      'Whether words that vary at one position of a message are learned, so that such messages become one incident',
  }),
  shows_source: Type.Boolean({
    description:
      'Whether bundles include source lines from source maps; positions and names are always included',
  }),
};
/** Days without a signal after which an incident resolves itself (docs/contract/team-workflow.md 3.5). */
export const RESOLVES_AFTER_DAYS_MAX = 90;
const HeartbeatsFromClients = Type.Boolean({
  description: 'Configurations in check-ins create and change heartbeats',
});
const ResolvesAfterDays = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: RESOLVES_AFTER_DAYS_MAX,
    description: 'Days without a signal after which an incident is resolved; null: never',
  }),
);

const repositoryFields = {
  kind: Type.Enum([...REPOSITORY_KINDS]),
  url: Type.String({
    minLength: 1,
    maxLength: REPOSITORY_URL_LENGTH_MAX,
    description:
      'Address of the repository, with https; for `template`, the address of a line with `{commit}`, `{path}` and `{line}`',
  }),
};
const repositoryPlaces = {
  service: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Name of the service, or a prefix with `*` at its end; null: all',
    }),
  ),
  strip_prefix: Nullable(
    Type.String({ minLength: 1, maxLength: 300, description: 'Prefix that is removed from paths in stacks' }),
  ),
  folder: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 300,
      pattern: REPOSITORY_FOLDER_PATTERN,
      description: 'Folder of the code in the repository, such as `services/checkout`',
    }),
  ),
};
/** The repositories with the code of services (docs/contract/incidents.md 7.7). */
const Repositories = Type.Array(Named('Repository', { ...repositoryFields, ...repositoryPlaces }), {
  maxItems: REPOSITORIES_MAX,
  description: 'For links to lines and commits; the first that matches a service is used',
});
const NewRepositories = Type.Array(
  Closed({
    ...repositoryFields,
    service: Type.Optional(repositoryPlaces.service),
    strip_prefix: Type.Optional(repositoryPlaces.strip_prefix),
    folder: Type.Optional(repositoryPlaces.folder),
  }),
  { maxItems: REPOSITORIES_MAX, description: 'Complete list: replaces the stored one' },
);
const projectFields = {
  project_id: AnswerId('proj'),
  organization_id: AnswerId(null),
  owner_user_id: AnswerId(null),
  owner_email: Type.String(),
  relationship: Type.Enum(['owned', 'shared']),
  sharing_state: Type.Enum(['private', 'shared_by_you', 'shared_with_you']),
  effective_role: Type.Enum(['owner', 'admin', 'member']),
  shared_access_suspended: Type.Boolean({
    description: "The owner's plan is below Team: other people's access is paused",
  }),
  name: Type.String(),
  slug: Type.String(),
  incident_key: Type.String({ description: 'Prefix of its incident numbers' }),
  environment_default: Type.String(),
  organization_plan: Type.Enum(['free', 'solo', 'team']),
  ...groupingFields,
  resolves_after_days: ResolvesAfterDays,
  heartbeats_from_clients: HeartbeatsFromClients,
  repositories: Repositories,
};
const projectTimes = { created_at: Timestamp, updated_at: Timestamp };

/** A project as one of its people sees it (docs/contract/incidents.md 7.2). */
export const Project = Named('Project', { ...projectFields, metrics: ProjectMetrics, ...projectTimes });
export type Project = Static<typeof Project>;

/** The record of a delete answer: without metrics. */
export const DeletedProject = Named('DeletedProject', { ...projectFields, ...projectTimes });
export type DeletedProject = Static<typeof DeletedProject>;

const Name = Type.String({
  minLength: 1,
  pattern: '\\S',
  description: `1 to ${PROJECT_NAME_LENGTH_MAX} characters after trimming`,
});
const Slug = Type.String({
  minLength: 1,
  maxLength: SLUG_LENGTH_MAX,
  pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  description: 'Unique in the organization',
});
const IncidentKey = Type.String({
  pattern: INCIDENT_KEY_PATTERN,
  description:
    'Prefix of its incident numbers, such as `CHECKOUT`: 2 to 10 capital letters and digits. Numbers with an earlier key still work',
});
const EnvironmentDefault = Type.String({
  minLength: 1,
  pattern: '\\S',
  description: `1 to ${ENVIRONMENT_DEFAULT_LENGTH_MAX} characters after trimming`,
});
const ColorTag = Nullable(
  Type.String({ maxLength: 50, description: 'Accepted for compatibility; never returned' }),
);

const projectAnswer = Closed({ project: Project });

export const listProjects = defineEndpoint({
  id: 'listProjects',
  method: 'GET',
  path: '/v1/projects',
  summary: 'List the projects the caller owns or collaborates on, newest first',
  access: 'build',
  scope: { of: 'person' },
  query: Closed(pageQuery),
  responses: {
    200: Closed({ projects: Type.Array(Project), next_cursor: NextCursor }),
  },
});

export const createProject = defineEndpoint({
  id: 'createProject',
  method: 'POST',
  path: '/v1/projects',
  summary: "Create a project in the caller's own organization",
  scope: { of: 'person' },
  body: Closed({
    name: Name,
    slug: Type.Optional(Slug),
    environment_default: Type.Optional(EnvironmentDefault),
    weekly_report_timezone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'IANA name; `UTC` when absent' }),
    ),
    color_tag: Type.Optional(ColorTag),
    first_alert: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Create an alert rule that mails the owner about new and regressed incidents of urgent or high priority',
      }),
    ),
  }),
  responses: { 201: projectAnswer },
  errors: ['project_slug_taken', 'resource_limit_reached'],
});

export const getProject = defineEndpoint({
  id: 'getProject',
  method: 'GET',
  path: '/v1/projects/:id',
  summary: 'Get a project',
  ...OF_PROJECT,
  responses: { 200: projectAnswer },
});

export const updateProject = defineEndpoint({
  id: 'updateProject',
  method: 'PATCH',
  path: '/v1/projects/:id',
  summary: 'Change a project',
  ...OF_PROJECT,
  body: Closed(
    {
      name: Type.Optional(Name),
      slug: Type.Optional(Slug),
      incident_key: Type.Optional(IncidentKey),
      environment_default: Type.Optional(EnvironmentDefault),
      color_tag: Type.Optional(ColorTag),
      stack_rules: Type.Optional(groupingFields.stack_rules),
      learns_slots: Type.Optional(groupingFields.learns_slots),
      shows_source: Type.Optional(groupingFields.shows_source),
      resolves_after_days: Type.Optional(ResolvesAfterDays),
      heartbeats_from_clients: Type.Optional(HeartbeatsFromClients),
      repositories: Type.Optional(NewRepositories),
    },
    { minProperties: 1 },
  ),
  responses: { 200: projectAnswer },
  errors: ['project_slug_taken', 'incident_key_taken'],
});

export const deleteProject = defineEndpoint({
  id: 'deleteProject',
  method: 'DELETE',
  path: '/v1/projects/:id',
  summary: 'Delete a project with everything in it, immediately and permanently',
  ...OF_PROJECT,
  role: 'owner',
  body: 'none',
  responses: { 200: Closed({ project: DeletedProject }) },
});
