import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { MAP_CANDIDATES_MAX, MAP_PATH_CHARS_MAX, MAP_REMOVALS } from './map-limits.ts';
import {
  Count,
  DebugId,
  MapProbe,
  ofProject,
  params,
  projectParams,
  Release,
  RequestDebugId,
} from './map-schemas.ts';
import { MAP_REASONS, MAP_STATES } from './map-words.ts';

/** A source map that is kept, or was (docs/contract/source-maps.md 2.1). */
export const SourceMapRecord = Named('SourceMap', {
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
});
export type SourceMapRecord = Static<typeof SourceMapRecord>;

const mapParams = Closed({ ...projectParams, sourceMapId: PathId('source_map') });

const ofMap = {
  of: 'project_record',
  kind: 'source_map',
  project: 'params.id',
  id: 'params.sourceMapId',
} as const;

export const listSourceMaps = defineEndpoint({
  id: 'listSourceMaps',
  method: 'GET',
  path: '/v1/projects/:id/source-maps',
  summary: 'List the stored source maps, newest first; by debug id also the removed ones',
  access: 'build',
  scope: ofProject,
  params,
  query: Closed({
    release: Type.Optional(Release),
    debug_id: Type.Optional(RequestDebugId),
    path: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAP_PATH_CHARS_MAX, description: 'Part of the path' }),
    ),
    ...pageQuery,
  }),
  responses: {
    200: Closed({
      source_maps: Type.Array(SourceMapRecord),
      usage: Closed({ stored_bytes: Count, budget_bytes: Count, source_maps: Count }),
      next_cursor: NextCursor,
    }),
  },
  errors: ['not_found'],
});

export const getSourceMap = defineEndpoint({
  id: 'getSourceMap',
  method: 'GET',
  path: '/v1/projects/:id/source-maps/:sourceMapId',
  summary: 'Get a source map and at most 200 of its files',
  access: 'build',
  scope: ofMap,
  params: mapParams,
  responses: {
    200: Closed({
      source_map: SourceMapRecord,
      sources: Type.Array(
        Closed({ file: Type.String(), is_own: Type.Boolean(), has_content: Type.Boolean() }),
      ),
    }),
  },
  errors: ['not_found'],
});

export const deleteSourceMap = defineEndpoint({
  id: 'deleteSourceMap',
  method: 'DELETE',
  path: '/v1/projects/:id/source-maps/:sourceMapId',
  summary: 'Delete a source map; bundles keep their mapped frames',
  scope: ofMap,
  role: 'admin',
  params: mapParams,
  body: 'none',
  responses: { 200: Closed({ source_map: SourceMapRecord }) },
  errors: ['not_found'],
});

/** A map that applications asked for and that the project does not have. */
export const MissingMap = Named('MissingMap', {
  debug_id: DebugId,
  release: Nullable(Type.String()),
  file: Type.String(),
  reason: Type.Enum([...MAP_REASONS]),
  events: Count,
  incidents: Count,
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
  service_name: Nullable(Type.String()),
});
export type MissingMap = Static<typeof MissingMap>;

export const listMissingMaps = defineEndpoint({
  id: 'listMissingMaps',
  method: 'GET',
  path: '/v1/projects/:id/source-maps/missing',
  summary: 'List the source maps that incidents need, those with the most events first',
  access: 'build',
  scope: ofProject,
  params,
  query: Closed(pageQuery),
  responses: {
    200: Closed({ missing: Type.Array(MissingMap), next_cursor: NextCursor }),
  },
  errors: ['not_found'],
});

/** A frame that came of a generated one. */
const MappedPlace = Named('MappedPlace', {
  source_map_id: AnswerId(null),
  file: Type.String(),
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  function: Nullable(Type.String()),
  is_own: Type.Boolean(),
  source: Nullable(
    Closed({ before: Type.Array(Type.String()), text: Type.String(), after: Type.Array(Type.String()) }),
  ),
});

export const explainFrame = defineEndpoint({
  id: 'explainFrame',
  method: 'POST',
  path: '/v1/projects/:id/source-maps/explain',
  summary: 'Show how one frame is mapped, or why it is not; changes nothing',
  access: 'build',
  scope: ofProject,
  params,
  body: Closed({
    debug_id: Type.Optional(Nullable(RequestDebugId)),
    release: Type.Optional(Nullable(Release)),
    file: Type.String({ minLength: 1, maxLength: 4096 }),
    line: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
    column: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
  }),
  changesNothing: true,
  responses: {
    200: Closed({
      state: Type.Enum([...MAP_STATES]),
      mapped: Nullable(MappedPlace),
      reason: Nullable(Type.Enum([...MAP_REASONS])),
      words: Nullable(Type.String()),
      hint: Nullable(Type.String()),
      looked_for: Nullable(Closed({ by: Type.Enum(['debug_id', 'release']), key: Type.String() })),
      candidates: Type.Array(
        Closed({
          path: Type.String(),
          debug_id: DebugId,
          release: Nullable(Type.String()),
          uploaded_at: Timestamp,
        }),
        { maxItems: MAP_CANDIDATES_MAX },
      ),
    }),
  },
  errors: ['not_found'],
});
