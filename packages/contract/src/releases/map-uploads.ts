import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import {
  GENERATED_BYTES_MAX,
  MAP_BYTES_MAX,
  MAP_PART_BYTES,
  MAP_PATH_CHARS_MAX,
  MAP_PROBLEMS,
  MAP_UPLOAD_BODY_BYTES_MAX,
  MAP_UPLOAD_BYTES_MAX,
  MAP_UPLOAD_FILES_MAX,
  MAP_VERDICTS,
  type MapVerdict,
} from './map-limits.ts';
import {
  Count,
  DebugId,
  MapFit,
  MapProbe,
  ofProject,
  params,
  projectParams,
  Release,
  RequestDebugId,
  Sha256,
} from './map-schemas.ts';

export const MapUploadFile = Named('MapUploadFile', {
  path: Type.String(),
  debug_id: DebugId,
  verdict: Nullable(Type.Enum([...MAP_VERDICTS])),
  problem: Nullable(Type.Enum([...MAP_PROBLEMS])),
  words: Nullable(Type.String({ description: 'The problem in a sentence' })),
  source_map_id: Nullable(AnswerId(null)),
  probe: Nullable(MapProbe),
  fit: Nullable(MapFit),
});
export type MapUploadFile = Static<typeof MapUploadFile>;

const uploadFields = {
  upload_id: AnswerId(null),
  release: Nullable(Type.String()),
  state: Type.Enum(['open', 'processing', 'done', 'expired']),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
  created_by: Nullable(Closed({ user_id: AnswerId(null), email: Nullable(Type.String()) })),
  via: Type.Enum(['api', 'sentry']),
  problem: Nullable(
    Type.String({ description: 'Why the archive of a build tool could not be read, in a sentence' }),
  ),
  counts: Closed(
    Object.fromEntries(MAP_VERDICTS.map((verdict) => [verdict, Count])) as Record<MapVerdict, typeof Count>,
    { description: 'Files by verdict' },
  ),
};

/** An upload as lists show it. */
export const MapUploadSummary = Named('MapUploadSummary', uploadFields);
export type MapUploadSummary = Static<typeof MapUploadSummary>;

export const MapUpload = Named('MapUpload', { ...uploadFields, files: Type.Array(MapUploadFile) });
export type MapUpload = Static<typeof MapUpload>;

const uploadParams = Closed({ ...projectParams, uploadId: PathId('upload') });

const ofUpload = {
  of: 'project_record',
  kind: 'source_map_upload',
  project: 'params.id',
  id: 'params.uploadId',
} as const;

const MapUploadBegun = Named('MapUploadBegun', {
  upload: MapUpload,
  missing: Type.Array(Type.String(), { description: 'Hashes of the files that the server does not have' }),
  part_bytes: Type.Integer({ minimum: 1 }),
});
export type MapUploadBegun = Static<typeof MapUploadBegun>;

const announced = (bytesMax: number) =>
  Closed({
    sha256: Sha256,
    size_bytes: Type.Integer({
      minimum: 1,
      description: `At most ${bytesMax}, else \`payload_too_large\``,
    }),
  });

export const beginMapUpload = defineEndpoint({
  id: 'beginMapUpload',
  method: 'POST',
  path: '/v1/projects/:id/source-maps/uploads',
  summary: 'Begin or resume an upload of source maps: what the server already has is not missing',
  access: 'build',
  scope: ofProject,
  params,
  body: Closed({
    release: Type.Optional(Nullable(Release)),
    files: Type.Array(
      Closed({
        path: Type.String({
          minLength: 1,
          maxLength: MAP_PATH_CHARS_MAX,
          description: 'Generated file, relative to the uploaded folder, with `/` between parts',
        }),
        debug_id: Type.Optional(Nullable(RequestDebugId)),
        generated: announced(GENERATED_BYTES_MAX),
        map: announced(MAP_BYTES_MAX),
      }),
      { minItems: 1, maxItems: MAP_UPLOAD_FILES_MAX },
    ),
  }),
  bodyBytesMax: MAP_UPLOAD_BODY_BYTES_MAX,
  conditions: [
    'Each file has a debug id, or the upload has a release.',
    'Paths differ and are relative; no part of them is empty, `.` or `..`.',
    `All files together have at most ${MAP_UPLOAD_BYTES_MAX} bytes.`,
    'The same body while its upload is open answers 200 with what is still missing.',
  ],
  responses: { 200: MapUploadBegun, 201: MapUploadBegun },
  errors: ['not_found', 'resource_limit_reached', 'source_map_budget_exceeded'],
});

export const putMapPart = defineEndpoint({
  id: 'putMapPart',
  method: 'PUT',
  path: '/v1/projects/:id/source-maps/uploads/:uploadId/files/:sha256/parts/:part',
  summary: 'Upload one part of a file as bytes; a part can be sent again',
  access: 'build',
  scope: ofUpload,
  params: Closed({
    ...uploadParams.properties,
    sha256: Sha256,
    part: Type.String({ pattern: '^(0|[1-9][0-9]{0,3})$', description: 'From 0' }),
  }),
  body: 'bytes',
  bodyBytesMax: MAP_PART_BYTES,
  conditions: [`Each part has ${MAP_PART_BYTES} bytes, except the last one.`],
  responses: { 204: 'empty' },
  errors: ['part_not_found', 'upload_closed'],
});

export const finishMapUpload = defineEndpoint({
  id: 'finishMapUpload',
  method: 'POST',
  path: '/v1/projects/:id/source-maps/uploads/:uploadId/finish',
  summary: 'Complete an upload; the server then reads the maps',
  access: 'build',
  scope: ofUpload,
  params: uploadParams,
  body: 'none',
  responses: { 202: Closed({ upload: MapUpload }) },
  errors: ['not_found', 'parts_missing', 'upload_closed'],
});

export const getMapUpload = defineEndpoint({
  id: 'getMapUpload',
  method: 'GET',
  path: '/v1/projects/:id/source-maps/uploads/:uploadId',
  summary: 'Get an upload and the verdict on each of its files; waits for the last verdict on request',
  access: 'build',
  scope: ofUpload,
  params: uploadParams,
  query: Closed({
    wait_seconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 25, description: 'How long to wait for the state `done`' }),
    ),
  }),
  responses: {
    200: Closed({
      upload: MapUpload,
      missing: Type.Array(Closed({ sha256: Type.String(), parts: Type.Array(Count) })),
    }),
  },
  errors: ['not_found', 'rate_limited'],
});

export const listMapUploads = defineEndpoint({
  id: 'listMapUploads',
  method: 'GET',
  path: '/v1/projects/:id/source-maps/uploads',
  summary: 'List the uploads of the last 30 days, newest first',
  access: 'build',
  scope: ofProject,
  params,
  query: Closed(pageQuery),
  responses: {
    200: Closed({ uploads: Type.Array(MapUploadSummary), next_cursor: NextCursor }),
  },
  errors: ['not_found'],
});
