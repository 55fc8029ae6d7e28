import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { DEBUG_ID_PATTERN } from './debug-id.ts';
import {
  GENERATED_BYTES_MAX,
  MAP_BYTES_MAX,
  MAP_CANDIDATES_MAX,
  MAP_PART_BYTES,
  MAP_PATH_CHARS_MAX,
  MAP_PROBLEMS,
  MAP_REMOVALS,
  MAP_UPLOAD_BODY_BYTES_MAX,
  MAP_UPLOAD_BYTES_MAX,
  MAP_UPLOAD_FILES_MAX,
  MAP_VERDICTS,
  type MapVerdict,
  RELEASE_CHARS_MAX,
} from './map-limits.ts';
import { MAP_REASONS, MAP_STATES } from './map-words.ts';

const Count = Type.Integer({ minimum: 0 });
const closed = { additionalProperties: false } as const;
const SHA256_PATTERN = '^[0-9a-f]{64}$';
const Sha256 = Type.String({ pattern: SHA256_PATTERN, description: '64 lower-case hex digits' });
const RequestDebugId = Type.String({ pattern: DEBUG_ID_PATTERN, description: 'UUID; hyphens are optional' });
const DebugId = Nullable(Type.String({ description: 'UUID' }));
const Release = Type.String({
  minLength: 1,
  maxLength: RELEASE_CHARS_MAX,
  pattern: '\\S',
  description: `1 to ${RELEASE_CHARS_MAX} characters; blanks around them are dropped`,
});

/** A place that was looked up in a source map as those of events are. */
export const MapProbe = Type.Object(
  {
    generated_line: Type.Integer({ minimum: 1 }),
    generated_column: Type.Integer({ minimum: 1 }),
    file: Type.String(),
    line: Type.Integer({ minimum: 1 }),
    column: Type.Integer({ minimum: 1 }),
    function: Nullable(Type.String()),
    text: Nullable(
      Type.String({ description: 'The original line; null if the map does not include the source' }),
    ),
  },
  { ...closed, title: 'MapProbe' },
);
export type MapProbe = Static<typeof MapProbe>;

/** The number of places of a map inside a word of the generated file. */
export const MapFit = Type.Object({ sampled: Count, misplaced: Count }, { ...closed, title: 'MapFit' });
export type MapFit = Static<typeof MapFit>;

export const MapUploadFile = Type.Object(
  {
    path: Type.String(),
    debug_id: DebugId,
    verdict: Nullable(Type.Enum([...MAP_VERDICTS])),
    problem: Nullable(Type.Enum([...MAP_PROBLEMS])),
    words: Nullable(Type.String({ description: 'The problem in a sentence' })),
    source_map_id: Nullable(AnswerId(null)),
    probe: Nullable(MapProbe),
    fit: Nullable(MapFit),
  },
  { ...closed, title: 'MapUploadFile' },
);
export type MapUploadFile = Static<typeof MapUploadFile>;

const uploadFields = {
  upload_id: AnswerId(null),
  release: Nullable(Type.String()),
  state: Type.Enum(['open', 'processing', 'done', 'expired']),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
  created_by: Nullable(Type.Object({ user_id: AnswerId(null), email: Nullable(Type.String()) }, closed)),
  via: Type.Enum(['api', 'sentry']),
  problem: Nullable(
    Type.String({ description: 'Why the archive of a build tool could not be read, in a sentence' }),
  ),
  counts: Type.Object(
    Object.fromEntries(MAP_VERDICTS.map((verdict) => [verdict, Count])) as Record<MapVerdict, typeof Count>,
    { ...closed, description: 'Files by verdict' },
  ),
};

/** An upload as lists show it. */
export const MapUploadSummary = Type.Object(uploadFields, { ...closed, title: 'MapUploadSummary' });
export type MapUploadSummary = Static<typeof MapUploadSummary>;

export const MapUpload = Type.Object(
  { ...uploadFields, files: Type.Array(MapUploadFile) },
  { ...closed, title: 'MapUpload' },
);
export type MapUpload = Static<typeof MapUpload>;

/** A source map that is kept, or was (docs/contract/source-maps.md 2.1). */
export const SourceMapRecord = Type.Object(
  {
    source_map_id: AnswerId(null),
    path: Type.String(),
    debug_id: DebugId,
    releases: Type.Array(Type.String(), {
      description: 'Releases under which it was uploaded, newest first',
    }),
    state: Type.Enum(['ready', 'removed']),
    removed_reason: Nullable(Type.Enum([...MAP_REMOVALS])),
    removed_at: Nullable(Timestamp),
    generated_bytes: Count,
    map_bytes: Count,
    stored_bytes: Count,
    sources: Count,
    segments: Count,
    has_contents: Type.Boolean({ description: 'At least one source of the application is included' }),
    registers_id: Type.Boolean({ description: 'The generated file registers its debug id when it runs' }),
    code_sha256: Type.String({
      description:
        'Hash of the generated file without the comments `sourceMappingURL` and `debugId`, which tools add',
    }),
    probe: Nullable(MapProbe),
    created_at: Timestamp,
    last_needed_at: Timestamp,
    uploaded_by: Nullable(AnswerId(null)),
  },
  { ...closed, title: 'SourceMap' },
);
export type SourceMapRecord = Static<typeof SourceMapRecord>;

const projectParams = { id: PathId('project') };
const params = Type.Object(projectParams, closed);
const uploadParams = Type.Object({ ...projectParams, uploadId: PathId('upload') }, closed);
const mapParams = Type.Object({ ...projectParams, sourceMapId: PathId('source_map') }, closed);
const ofProject = { of: 'project', id: 'params.id' } as const;
const ofUpload = {
  of: 'project_record',
  kind: 'source_map_upload',
  project: 'params.id',
  id: 'params.uploadId',
} as const;
const ofMap = {
  of: 'project_record',
  kind: 'source_map',
  project: 'params.id',
  id: 'params.sourceMapId',
} as const;

const MapUploadBegun = Type.Object(
  {
    upload: MapUpload,
    missing: Type.Array(Type.String(), { description: 'Hashes of the files that the server does not have' }),
    part_bytes: Type.Integer({ minimum: 1 }),
  },
  { ...closed, title: 'MapUploadBegun' },
);
export type MapUploadBegun = Static<typeof MapUploadBegun>;

const announced = (bytesMax: number) =>
  Type.Object(
    {
      sha256: Sha256,
      size_bytes: Type.Integer({
        minimum: 1,
        description: `At most ${bytesMax}, else \`payload_too_large\``,
      }),
    },
    closed,
  );

export const beginMapUpload = defineEndpoint({
  id: 'beginMapUpload',
  method: 'POST',
  path: '/v1/projects/:id/source-maps/uploads',
  summary: 'Begin or resume an upload of source maps: what the server already has is not missing',
  auth: 'member',
  access: 'build',
  scope: ofProject,
  params,
  body: Type.Object(
    {
      release: Type.Optional(Nullable(Release)),
      files: Type.Array(
        Type.Object(
          {
            path: Type.String({
              minLength: 1,
              maxLength: MAP_PATH_CHARS_MAX,
              description: 'Generated file, relative to the uploaded folder, with `/` between parts',
            }),
            debug_id: Type.Optional(Nullable(RequestDebugId)),
            generated: announced(GENERATED_BYTES_MAX),
            map: announced(MAP_BYTES_MAX),
          },
          closed,
        ),
        { minItems: 1, maxItems: MAP_UPLOAD_FILES_MAX },
      ),
    },
    closed,
  ),
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
  auth: 'member',
  access: 'build',
  scope: ofUpload,
  params: Type.Object(
    {
      ...uploadParams.properties,
      sha256: Sha256,
      part: Type.String({ pattern: '^(0|[1-9][0-9]{0,3})$', description: 'From 0' }),
    },
    closed,
  ),
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
  auth: 'member',
  access: 'build',
  scope: ofUpload,
  params: uploadParams,
  body: 'none',
  responses: { 202: Type.Object({ upload: MapUpload }, closed) },
  errors: ['not_found', 'parts_missing', 'upload_closed'],
});

export const getMapUpload = defineEndpoint({
  id: 'getMapUpload',
  method: 'GET',
  path: '/v1/projects/:id/source-maps/uploads/:uploadId',
  summary: 'Get an upload and the verdict on each of its files; waits for the last verdict on request',
  auth: 'member',
  access: 'build',
  scope: ofUpload,
  params: uploadParams,
  query: Type.Object(
    {
      wait_seconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 25, description: 'How long to wait for the state `done`' }),
      ),
    },
    closed,
  ),
  responses: {
    200: Type.Object(
      {
        upload: MapUpload,
        missing: Type.Array(Type.Object({ sha256: Type.String(), parts: Type.Array(Count) }, closed)),
      },
      closed,
    ),
  },
  errors: ['not_found', 'rate_limited'],
});

export const listMapUploads = defineEndpoint({
  id: 'listMapUploads',
  method: 'GET',
  path: '/v1/projects/:id/source-maps/uploads',
  summary: 'List the uploads of the last 30 days, newest first',
  auth: 'member',
  access: 'build',
  scope: ofProject,
  params,
  query: Type.Object(pageQuery, closed),
  responses: {
    200: Type.Object({ uploads: Type.Array(MapUploadSummary), next_cursor: NextCursor }, closed),
  },
  errors: ['not_found'],
});

export const listSourceMaps = defineEndpoint({
  id: 'listSourceMaps',
  method: 'GET',
  path: '/v1/projects/:id/source-maps',
  summary: 'List the stored source maps, newest first; by debug id also the removed ones',
  auth: 'member',
  access: 'build',
  scope: ofProject,
  params,
  query: Type.Object(
    {
      release: Type.Optional(Release),
      debug_id: Type.Optional(RequestDebugId),
      path: Type.Optional(
        Type.String({ minLength: 1, maxLength: MAP_PATH_CHARS_MAX, description: 'Part of the path' }),
      ),
      ...pageQuery,
    },
    closed,
  ),
  responses: {
    200: Type.Object(
      {
        source_maps: Type.Array(SourceMapRecord),
        usage: Type.Object({ stored_bytes: Count, budget_bytes: Count, source_maps: Count }, closed),
        next_cursor: NextCursor,
      },
      closed,
    ),
  },
  errors: ['not_found'],
});

export const getSourceMap = defineEndpoint({
  id: 'getSourceMap',
  method: 'GET',
  path: '/v1/projects/:id/source-maps/:sourceMapId',
  summary: 'Get a source map and at most 200 of its files',
  auth: 'member',
  access: 'build',
  scope: ofMap,
  params: mapParams,
  responses: {
    200: Type.Object(
      {
        source_map: SourceMapRecord,
        sources: Type.Array(
          Type.Object({ file: Type.String(), is_own: Type.Boolean(), has_content: Type.Boolean() }, closed),
        ),
      },
      closed,
    ),
  },
  errors: ['not_found'],
});

export const deleteSourceMap = defineEndpoint({
  id: 'deleteSourceMap',
  method: 'DELETE',
  path: '/v1/projects/:id/source-maps/:sourceMapId',
  summary: 'Delete a source map; bundles keep their mapped frames',
  auth: 'member',
  scope: ofMap,
  role: 'admin',
  params: mapParams,
  body: 'none',
  responses: { 200: Type.Object({ source_map: SourceMapRecord }, closed) },
  errors: ['not_found'],
});

/** A map that applications asked for and that the project does not have. */
export const MissingMap = Type.Object(
  {
    debug_id: DebugId,
    release: Nullable(Type.String()),
    file: Type.String(),
    reason: Type.Enum([...MAP_REASONS]),
    events: Count,
    incidents: Count,
    first_seen_at: Timestamp,
    last_seen_at: Timestamp,
    service_name: Nullable(Type.String()),
  },
  { ...closed, title: 'MissingMap' },
);
export type MissingMap = Static<typeof MissingMap>;

export const listMissingMaps = defineEndpoint({
  id: 'listMissingMaps',
  method: 'GET',
  path: '/v1/projects/:id/source-maps/missing',
  summary: 'List the source maps that incidents need, those with the most events first',
  auth: 'member',
  access: 'build',
  scope: ofProject,
  params,
  query: Type.Object(pageQuery, closed),
  responses: {
    200: Type.Object({ missing: Type.Array(MissingMap), next_cursor: NextCursor }, closed),
  },
  errors: ['not_found'],
});

/** A frame that came of a generated one. */
const MappedPlace = Type.Object(
  {
    source_map_id: AnswerId(null),
    file: Type.String(),
    line: Type.Integer({ minimum: 1 }),
    column: Type.Integer({ minimum: 1 }),
    function: Nullable(Type.String()),
    is_own: Type.Boolean(),
    source: Nullable(
      Type.Object(
        { before: Type.Array(Type.String()), text: Type.String(), after: Type.Array(Type.String()) },
        closed,
      ),
    ),
  },
  { ...closed, title: 'MappedPlace' },
);

export const explainFrame = defineEndpoint({
  id: 'explainFrame',
  method: 'POST',
  path: '/v1/projects/:id/source-maps/explain',
  summary: 'Show how one frame is mapped, or why it is not; changes nothing',
  auth: 'member',
  access: 'build',
  scope: ofProject,
  params,
  body: Type.Object(
    {
      debug_id: Type.Optional(Nullable(RequestDebugId)),
      release: Type.Optional(Nullable(Release)),
      file: Type.String({ minLength: 1, maxLength: 4096 }),
      line: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
      column: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
    },
    closed,
  ),
  changesNothing: true,
  responses: {
    200: Type.Object(
      {
        state: Type.Enum([...MAP_STATES]),
        mapped: Nullable(MappedPlace),
        reason: Nullable(Type.Enum([...MAP_REASONS])),
        words: Nullable(Type.String()),
        mend: Nullable(Type.String()),
        looked_for: Nullable(
          Type.Object({ by: Type.Enum(['debug_id', 'release']), key: Type.String() }, closed),
        ),
        candidates: Type.Array(
          Type.Object(
            {
              path: Type.String(),
              debug_id: DebugId,
              release: Nullable(Type.String()),
              uploaded_at: Timestamp,
            },
            closed,
          ),
          { maxItems: MAP_CANDIDATES_MAX },
        ),
      },
      closed,
    ),
  },
  errors: ['not_found'],
});
