import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import {
  APPLIED_MAX,
  OWNERSHIP_BYTES_MAX,
  OWNERSHIP_LINES_MAX,
  PREVIEW_DAYS_MAX,
} from './ownership-limits.ts';

/** The greatest integer of the database. */
const VERSION_MAX = 2 ** 31 - 1;

const text = Type.String({
  maxLength: OWNERSHIP_BYTES_MAX,
  description: `Lines of a matcher and owners, as in CODEOWNERS; at most ${OWNERSHIP_BYTES_MAX} bytes and ${OWNERSHIP_LINES_MAX} lines`,
});

export const Ownership = Named('Ownership', {
  text: Type.String(),
  version: Type.Integer({ minimum: 0, description: '0: none saved yet' }),
  lines: Type.Array(
    Closed({
      number: Type.Integer({ minimum: 1 }),
      text: Type.String(),
      problem: Nullable(Type.String({ description: 'Reason why an owner of the line is skipped' })),
      matched_30d: Type.Integer({
        minimum: 0,
        description: 'Incidents of the last 30 days that the line decides',
      }),
    }),
    { description: 'Lines that are neither empty nor a comment' },
  ),
  unowned_30d: Type.Integer({
    minimum: 0,
    description: 'Incidents of the last 30 days without an owner',
  }),
  is_complete: Type.Boolean({ description: 'false: only the newest incidents were counted' }),
  updated_at: Nullable(Timestamp),
  updated_by_user_id: Nullable(AnswerId(null)),
});
export type Ownership = Static<typeof Ownership>;

export const OwnershipPreview = Named('OwnershipPreview', {
  incidents: Type.Integer({ minimum: 0, description: 'Opened in that time' }),
  owned: Type.Integer({ minimum: 0 }),
  by_owner: Type.Array(Closed({ owner: Type.String(), incidents: Type.Integer({ minimum: 1 }) }), {
    description: 'Most incidents first',
  }),
  changed: Type.Array(
    Closed({
      incident_id: AnswerId('inc'),
      title: Type.String(),
      from: Nullable(Type.String({ description: 'Owner by the saved text' })),
      to: Nullable(Type.String({ description: 'Owner by this text' })),
      line: Nullable(Type.Integer({ description: 'Deciding line' })),
    }),
    { description: 'Incidents with another owner than by the saved text, newest first, at most 50' },
  ),
  never_matching: Type.Array(Type.Integer(), { description: 'Lines that match none of the incidents' }),
  is_complete: Type.Boolean({ description: 'false: only the newest incidents were tried' }),
});
export type OwnershipPreview = Static<typeof OwnershipPreview>;

const params = Closed({ id: PathId('project') });
const answer = Closed({ ownership: Ownership });

export const getOwnership = defineEndpoint({
  id: 'getOwnership',
  method: 'GET',
  path: '/v1/projects/:id/ownership',
  summary: 'Get the ownership lines of a project',
  scope: { of: 'project', id: 'params.id' },
  group: 'projects',
  params,
  responses: { 200: answer },
});

export const saveOwnership = defineEndpoint({
  id: 'saveOwnership',
  method: 'POST',
  path: '/v1/projects/:id/ownership',
  summary: 'Replace the ownership lines of a project',
  scope: { of: 'project', id: 'params.id' },
  role: 'admin',
  group: 'projects',
  params,
  body: Closed({
    text,
    version: Type.Integer({
      minimum: 0,
      maximum: VERSION_MAX,
      description: 'Version that was read; refused if another one is stored',
    }),
  }),
  responses: { 200: answer },
  errors: ['version_conflict'],
});

export const previewOwnership = defineEndpoint({
  id: 'previewOwnership',
  method: 'POST',
  path: '/v1/projects/:id/ownership/preview',
  summary: 'Preview ownership lines on recently opened incidents; changes nothing',
  scope: { of: 'project', id: 'params.id' },
  group: 'projects',
  params,
  body: Closed({ text, days: Type.Optional(Type.Integer({ minimum: 1, maximum: PREVIEW_DAYS_MAX })) }),
  responses: { 200: Closed({ preview: OwnershipPreview }) },
});

export const applyOwnership = defineEndpoint({
  id: 'applyOwnership',
  method: 'POST',
  path: '/v1/projects/:id/ownership/apply',
  summary: `Assign up to ${APPLIED_MAX} unassigned active incidents`,
  scope: { of: 'project', id: 'params.id' },
  role: 'admin',
  group: 'projects',
  params,
  body: 'none',
  responses: {
    200: Closed({ assigned: Type.Integer({ minimum: 0 }) }),
  },
});
