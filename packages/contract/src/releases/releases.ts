import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Incident } from '../incidents/incidents.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { RequestTimestamp, Timestamp } from '../schemas/timestamp-schemas.ts';
import { Deployment } from './deployments.ts';
import { RELEASE_CHARS_MAX, RELEASE_VERSION_PATTERN } from './map-limits.ts';
import {
  NEW_BROWSER_RELEASES_PER_DAY_MAX,
  NEW_RELEASES_PER_DAY_MAX,
  RELEASE_ACTIVITY_DAYS_MAX,
  RELEASE_COMMITS_MAX,
  RELEASE_TREND_DAYS,
  SHOWN_COMMITS_MAX,
} from './release-limits.ts';

const Count = Type.Integer({ minimum: 0 });
const Name = Type.String({ minLength: 1, maxLength: 200 });

const LINE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
const Version = Type.String({
  minLength: 1,
  maxLength: RELEASE_CHARS_MAX,
  pattern: RELEASE_VERSION_PATTERN,
  description: `1 to ${RELEASE_CHARS_MAX} characters without control characters; blanks around them are dropped`,
});
const line = (charsMax: number) => Type.String({ minLength: 1, maxLength: charsMax, pattern: LINE_PATTERN });

/** The sources that can name a release first. */
const RELEASE_ORIGINS = ['event', 'deploy', 'upload', 'api'] as const;

/** A version of the code (docs/contract/source-maps.md 10.1). */
export const Release = Named('Release', {
  release_id: AnswerId(null),
  version: Type.String(),
  created_by: Type.Enum([...RELEASE_ORIGINS], { description: 'Source that first reported it' }),
  first_at: Timestamp,
  last_seen_at: Nullable(Timestamp),
  commit_sha: Nullable(Type.String()),
  branch: Nullable(Type.String()),
  url: Nullable(Type.String()),
  services: Type.Array(Closed({ service_name: Type.String(), environment: Type.String() }), {
    maxItems: 50,
    description: 'Environments in which it was seen or deployed',
  }),
  deploys: Count,
  source_maps: Count,
  commits: Count,
  events: Type.Integer({ minimum: 0, description: 'Counted signals' }),
  new_incidents: Type.Integer({ minimum: 0, description: 'Incidents whose first release it is' }),
  regressed_incidents: Type.Integer({ minimum: 0, description: 'Regressions by its events' }),
  events_by_day: Type.Array(Count, {
    minItems: RELEASE_TREND_DAYS,
    maxItems: RELEASE_TREND_DAYS,
    description: `Events of the last ${RELEASE_TREND_DAYS} days (UTC), oldest first`,
  }),
  lacks_source_maps: Type.Boolean({
    description: 'Browser stacks in this release lack a source map',
  }),
  previous_version: Nullable(Type.String()),
});
export type Release = Static<typeof Release>;

const Commit = Named('ReleaseCommit', {
  sha: Type.String(),
  author_name: Nullable(Type.String()),
  message: Type.String(),
  committed_at: Nullable(Timestamp),
});
export type ReleaseCommit = Static<typeof Commit>;

const ofProject = { of: 'project', id: 'params.id' } as const;
const ofRelease = {
  of: 'project_record',
  kind: 'release',
  project: 'params.id',
  id: 'params.releaseId',
} as const;
const params = Closed({ id: PathId('project') });
const releaseParams = Closed({ id: PathId('project'), releaseId: PathId('release') });
const releaseAnswer = Closed({ release: Release });

export const listReleases = defineEndpoint({
  id: 'listReleases',
  method: 'GET',
  path: '/v1/projects/:id/releases',
  summary: 'List the releases of a project, newest first',
  access: 'build',
  scope: ofProject,
  params,
  query: Closed({
    service: Type.Optional({ ...Name, description: 'Only those of the service with exactly this name' }),
    environment: Type.Optional({ ...Name, description: 'Only those in exactly this environment' }),
    version: Type.Optional({ ...Version, description: 'Exact' }),
    q: Type.Optional({ ...Name, description: 'Part of the version, in any case' }),
    ...pageQuery,
  }),
  responses: {
    200: Closed({
      releases: Type.Array(Release),
      unnamed_today: Type.Integer({
        minimum: 0,
        description: `Versions of today's events that became no release, because a project has at most ${NEW_RELEASES_PER_DAY_MAX} new ones in a day, ${NEW_BROWSER_RELEASES_PER_DAY_MAX} of them from browsers`,
      }),
      next_cursor: NextCursor,
    }),
  },
});

export const createRelease = defineEndpoint({
  id: 'createRelease',
  method: 'POST',
  path: '/v1/projects/:id/releases',
  summary: 'Create a release, or update one',
  access: 'build',
  scope: ofProject,
  params,
  body: Closed({
    version: Version,
    commit_sha: Type.Optional(line(200)),
    branch: Type.Optional(line(200)),
    url: Type.Optional({
      ...line(2000),
      description: 'Shown as a link if it is http or https',
    }),
    commits: Type.Optional(
      Type.Array(
        Closed({
          sha: line(64),
          author_name: Type.Optional(Nullable(line(200))),
          message: Type.String({ maxLength: 500 }),
          committed_at: Type.Optional(Nullable(RequestTimestamp)),
        }),
        {
          maxItems: RELEASE_COMMITS_MAX,
          description: 'Newest first; replaces those that it had',
        },
      ),
    ),
  }),
  bodyBytesMax: 2_097_152,
  responses: { 200: releaseAnswer, 201: releaseAnswer },
  errors: ['resource_limit_reached'],
});

export const getRelease = defineEndpoint({
  id: 'getRelease',
  method: 'GET',
  path: '/v1/projects/:id/releases/:releaseId',
  summary: 'Get a release with its latest deployments and commits',
  access: 'build',
  scope: ofRelease,
  params: releaseParams,
  responses: {
    200: Closed({
      release: Release,
      deployments: Type.Array(Deployment, { maxItems: 20 }),
      commits: Type.Array(Commit, { maxItems: SHOWN_COMMITS_MAX }),
    }),
  },
});

export const RELEASE_INCIDENT_KINDS = ['new', 'regressed', 'seen', 'resolved'] as const;
export type ReleaseIncidentKind = (typeof RELEASE_INCIDENT_KINDS)[number];

export const listReleaseIncidents = defineEndpoint({
  id: 'listReleaseIncidents',
  method: 'GET',
  path: '/v1/projects/:id/releases/:releaseId/incidents',
  summary: 'List the incidents of a release, latest activity first',
  scope: ofRelease,
  params: releaseParams,
  query: Closed({
    kind: Type.Optional(
      Type.Enum([...RELEASE_INCIDENT_KINDS], {
        default: 'new',
        description:
          '`new`: it is their first release; `regressed`: its events reopened them; `seen`: it is their last release; `resolved`: they are resolved in it',
      }),
    ),
    ...pageQuery,
  }),
  responses: {
    200: Closed({ incidents: Type.Array(Incident), next_cursor: NextCursor }),
  },
});

export const getReleaseActivity = defineEndpoint({
  id: 'getReleaseActivity',
  method: 'GET',
  path: '/v1/projects/:id/releases/:releaseId/activity',
  summary: 'Count the events, new and regressed incidents of a release by day',
  scope: ofRelease,
  params: releaseParams,
  query: Closed({
    from: Type.Optional({ ...RequestTimestamp, description: 'Default: 14 days before `to`' }),
    to: Type.Optional({ ...RequestTimestamp, description: 'Default: now' }),
  }),
  conditions: [`At most ${RELEASE_ACTIVITY_DAYS_MAX} days, and \`from\` is before \`to\`.`],
  responses: {
    200: Closed({
      from: Timestamp,
      to: Timestamp,
      bucket_seconds: Type.Literal(86_400),
      counts: Type.Array(Count),
      new: Type.Array(Count),
      regressed: Type.Array(Count),
    }),
  },
});
export type ReleaseActivity = Static<(typeof getReleaseActivity)['responses'][200]>;

export const deleteRelease = defineEndpoint({
  id: 'deleteRelease',
  method: 'DELETE',
  path: '/v1/projects/:id/releases/:releaseId',
  summary: 'Delete a release; its incidents and events stay',
  scope: ofRelease,
  role: 'admin',
  params: releaseParams,
  body: 'none',
  responses: { 200: releaseAnswer },
});
