import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { authorFields } from './incident-notes.ts';
import { FIXES_MAX } from './triage-words.ts';

export const Verification = Named('FixVerification', {
  verdict: Type.Enum(['reproduced', 'not_reproduced', 'unclear']),
  expected_status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
  log: Type.Optional(Type.String({ maxLength: 4096 })),
});

/** A proposed fix of an incident (docs/contract/team-workflow.md 5.2). */
export const Fix = Named('Fix', {
  fix_id: AnswerId(null),
  incident_id: AnswerId('inc'),
  ...authorFields,
  url: Type.String(),
  commit_sha: Nullable(Type.String()),
  release: Nullable(Type.String()),
  summary: Nullable(Type.String()),
  verification: Nullable(Verification),
  resolves: Type.Boolean({ description: 'It resolves the incident when it is deployed' }),
  deployed_in: Nullable(Type.String({ description: 'Release with which a resolving fix was deployed' })),
  deployed_at: Nullable(Timestamp),
  created_at: Timestamp,
});
export type Fix = Static<typeof Fix>;

export const listFixes = defineEndpoint({
  id: 'listFixes',
  method: 'GET',
  path: '/v1/incidents/:id/fixes',
  summary: 'List the newest proposed fixes of an incident and of those that were merged into it',
  ...OF_INCIDENT,
  responses: { 200: Closed({ fixes: Type.Array(Fix) }) },
});

export const createFix = defineEndpoint({
  id: 'createFix',
  method: 'POST',
  path: '/v1/incidents/:id/fixes',
  summary: 'Propose a fix for an incident: a pull request, with the result of a test',
  ...OF_INCIDENT,
  isRepeatable: true,
  body: Closed({
    url: Type.String({
      maxLength: 2000,
      pattern: '^https://',
      description: 'Address of the pull request or commit',
    }),
    commit_sha: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{7,64}$' })),
    release: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })),
    summary: Type.Optional(Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' })),
    verification: Type.Optional(Verification),
    resolves: Type.Optional(
      Type.Boolean({
        description:
          'Resolve the incident once, in the release of the first deployment that has the commit or the release; requires one of them',
      }),
    ),
  }),
  conditions: [`An incident has at most ${FIXES_MAX} fixes.`],
  responses: { 201: Closed({ fix: Fix }) },
  errors: ['resource_limit_reached'],
});

export const deleteFix = defineEndpoint({
  id: 'deleteFix',
  method: 'DELETE',
  path: '/v1/incidents/:id/fixes/:fixId',
  summary: 'Delete a proposed fix; admins delete those of others too',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params: Closed({ id: PathId('incident'), fixId: PathId('fix') }),
  body: 'none',
  responses: { 200: Closed({ fix: Fix }) },
  errors: ['fix_not_found'],
});
