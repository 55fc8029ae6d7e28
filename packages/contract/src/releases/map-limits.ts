/** Bytes of one part of an upload; the last part of a file is shorter (docs/contract/source-maps.md 3.2). */
export const MAP_PART_BYTES = 4_194_304;
/** Bytes of the request that begins an upload. */
export const MAP_UPLOAD_BODY_BYTES_MAX = 1_048_576;
export const MAP_UPLOAD_FILES_MAX = 2000;
export const MAP_UPLOAD_BYTES_MAX = 1_073_741_824;
/** Bytes of a map, and of a generated file; a server may have a lower limit for maps. */
export const MAP_BYTES_MAX = 134_217_728;
export const GENERATED_BYTES_MAX = 33_554_432;
export const MAP_PATH_CHARS_MAX = 1000;
export const RELEASE_CHARS_MAX = 200;
/** The pattern of a release's version: text without control characters that is not only blanks. */
export const RELEASE_VERSION_PATTERN = '^(?!\\s*$)[^\\u0000-\\u001f\\u007f-\\u009f]+$';
export const MAP_CANDIDATES_MAX = 10;

/** The verdicts on a file (docs/contract/source-maps.md 3.4). */
export const MAP_VERDICTS = ['ready', 'unchanged', 'replaced', 'refused', 'skipped'] as const;
export type MapVerdict = (typeof MAP_VERDICTS)[number];

/** Why a file was refused, in the order in which it is checked. */
export const MAP_PROBLEMS = [
  'bytes_differ',
  'not_json',
  'not_version_3',
  'map_empty',
  'bad_mappings',
  'map_too_large',
  'too_heavy',
  'debug_ids_differ',
  'map_not_of_file',
] as const;
export type MapProblem = (typeof MAP_PROBLEMS)[number];

/** Why a source map is gone. */
export const MAP_REMOVALS = ['unused', 'budget', 'replaced', 'deleted'] as const;
export type MapRemoval = (typeof MAP_REMOVALS)[number];
