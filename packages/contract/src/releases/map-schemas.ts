import Type, { type Static } from 'typebox';
import { PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { DEBUG_ID_PATTERN } from './debug-id.ts';
import { RELEASE_CHARS_MAX } from './map-limits.ts';

export const Count = Type.Integer({ minimum: 0 });
export const closed = { additionalProperties: false } as const;
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

export const projectParams = { id: PathId('project') };
export const params = Type.Object(projectParams, closed);

export const ofProject = { of: 'project', id: 'params.id' } as const;
