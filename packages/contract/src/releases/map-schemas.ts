import Type, { type Static } from 'typebox';
import { Closed, Named } from '../schemas/closed-object.ts';
import { PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { DEBUG_ID_PATTERN } from './debug-id.ts';
import { RELEASE_CHARS_MAX } from './map-limits.ts';

export const Count = Type.Integer({ minimum: 0 });
const SHA256_PATTERN = '^[0-9a-f]{64}$';
export const Sha256 = Type.String({ pattern: SHA256_PATTERN, description: '64 lower-case hex digits' });
export const RequestDebugId = Type.String({
  pattern: DEBUG_ID_PATTERN,
  description: 'UUID; hyphens are optional',
});
export const DebugId = Nullable(Type.String({ description: 'UUID' }));
export const Release = Type.String({
  minLength: 1,
  maxLength: RELEASE_CHARS_MAX,
  pattern: '\\S',
  description: `1 to ${RELEASE_CHARS_MAX} characters; blanks around them are dropped`,
});

/** A place that was looked up in a source map as those of events are. */
export const MapProbe = Named('MapProbe', {
  generated_line: Type.Integer({ minimum: 1 }),
  generated_column: Type.Integer({ minimum: 1 }),
  file: Type.String(),
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  function: Nullable(Type.String()),
  text: Nullable(
    Type.String({ description: 'The original line; null if the map does not include the source' }),
  ),
});
export type MapProbe = Static<typeof MapProbe>;

/** The number of places of a map inside a word of the generated file. */
export const MapFit = Named('MapFit', { sampled: Count, misplaced: Count });
export type MapFit = Static<typeof MapFit>;

export const projectParams = { id: PathId('project') };
export const params = Closed(projectParams);

export const ofProject = { of: 'project', id: 'params.id' } as const;
