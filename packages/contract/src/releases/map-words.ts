/** The results for a frame (docs/contract/source-maps.md 5.3). */
export const MAP_STATES = ['mapped', 'unmapped', 'none'] as const;
export type MapState = (typeof MAP_STATES)[number];

/** The results for the frames of an event. */
export const SYMBOLICATION_STATES = ['mapped', 'partly', 'unmapped', 'not_needed'] as const;
export type SymbolicationState = (typeof SYMBOLICATION_STATES)[number];

/** Facts that the words of a reason are made of; each reason uses some of them. */
export interface MapFacts {
  file: string;
  debugId?: string | null;
  release?: string | null;
  line?: number | null;
  column?: number | null;
  /** Files that end alike, and some of their paths. */
  paths?: readonly string[];
  count?: number;
  /** The host that served the file, where it is not that of the page. */
  host?: string | null;
  /** Words of the verdict that refused the map. */
  refusal?: string | null;
  removedReason?: string | null;
  removedOn?: string | null;
}

interface Words {
  /** True if a later upload resolves it, so that the incident waits for one. */
  readonly waits?: true;
  readonly words: (facts: MapFacts) => string;
  readonly hint: (facts: MapFacts) => string;
}

const UPLOAD = 'culprit sourcemaps upload DIR';
const DEPLOY_UPLOADED = 'Deploy the files that were uploaded. A proxy or CDN may have changed them.';

/** The closed list of reasons, each with its sentence and its remedy. */
const MAP_WORDS = {
  no_debug_id_no_release: {
    words: ({ file }) => `${name(file)} has no debug id and the event names no release.`,
    hint: () => `Run \`${UPLOAD}\` before you deploy; it gives every file a debug id.`,
  },
  no_map_for_debug_id: {
    waits: true,
    words: ({ file, debugId }) => `No map was uploaded for debug id ${debugId ?? ''} of ${name(file)}.`,
    hint: () => `\`${UPLOAD}\` for this build. A map that is uploaded later is used automatically.`,
  },
  release_without_maps: {
    waits: true,
    words: ({ release }) => `Release ${release ?? ''} has no source maps.`,
    hint: ({ release }) => `\`${UPLOAD} --release ${release ?? ''}\``,
  },
  no_map_for_file: {
    waits: true,
    words: ({ file, release, host, paths = [] }) =>
      host === null || host === undefined
        ? `Release ${release ?? ''} has maps, but none for ${baseName(file)}.`
        : `Release ${release ?? ''} has a map of ${paths[0] ?? baseName(file)}, but ${host} is not the host of the page, so ${baseName(file)} may be a file of others.`,
    hint: ({ release, host }) =>
      host === null || host === undefined
        ? `Compare with \`culprit sourcemaps list --release ${release ?? ''}\`.`
        : 'Use debug ids, or upload from the folder that the address shows.',
  },
  ambiguous_file: {
    words: ({ release, paths = [], count }) =>
      `${count ?? paths.length} files of release ${release ?? ''} end alike: ${paths.join(', ')}.`,
    hint: () => 'Use debug ids, or upload from the folder that the address shows.',
  },
  map_processing: {
    waits: true,
    words: ({ file }) => `The map of ${name(file)} is being read.`,
    hint: () => 'Nothing; it is used when it is ready.',
  },
  map_refused: {
    waits: true,
    words: ({ file, refusal }) => `The map of ${name(file)} was refused: ${refusal ?? ''}`,
    hint: () => 'Build again, then upload the file and its map together.',
  },
  map_removed: {
    words: ({ file, removedOn, removedReason }) =>
      `The map of ${name(file)} was removed on ${removedOn ?? ''}: ${removalWords(removedReason)}.`,
    hint: () => 'Upload it again.',
  },
  map_damaged: {
    words: ({ file }) => `The stored map of ${name(file)} cannot be read.`,
    hint: () => 'Upload it again; operators find it in the log.',
  },
  no_position: {
    words: () => 'The stack gives no line and column.',
    hint: () => 'Send stacks as the engine writes them.',
  },
  position_outside_file: {
    words: ({ line, column }) =>
      `Line ${line ?? 0}, column ${column ?? 0} is after the end of the uploaded file: another file is running.`,
    hint: () => DEPLOY_UPLOADED,
  },
  file_differs: {
    words: ({ file }) =>
      `The position is inside a word of the uploaded file: another version of ${name(file)} is running.`,
    hint: () => `${DEPLOY_UPLOADED} \`culprit sourcemaps check ADDRESS\` compares.`,
  },
  no_mapping: {
    words: () => 'The build tool generated this code; it has no original.',
    hint: () => 'None is needed.',
  },
  lines_only: {
    words: ({ file }) =>
      `The map of ${name(file)} has lines without columns, and the code of many lines is in one line of the file.`,
    hint: () => 'Build with full source maps (`source-map`, none of `cheap-`), then upload again.',
  },
  development_build: {
    words: () => 'This comes from a development server.',
    hint: () => 'None; production builds can be mapped.',
  },
  already_original: {
    words: () => 'The stack names the original file.',
    hint: () => 'None.',
  },
  over_limit: {
    words: () => 'Only the first 50 frames are looked up.',
    hint: () => 'None.',
  },
} as const satisfies Record<string, Words>;

export type MapReason = keyof typeof MAP_WORDS;

export const MAP_REASONS = Object.keys(MAP_WORDS) as MapReason[];

/** Returns true if an incident waits for a map that resolves the reason. */
export function waitsForMap(reason: MapReason): boolean {
  const row: Words = MAP_WORDS[reason];
  return row.waits === true;
}

/** The reason in a sentence, and the next step. */
export function mapWords(reason: MapReason, facts: MapFacts): { words: string; hint: string } {
  const row: Words = MAP_WORDS[reason];
  return { words: row.words(facts), hint: row.hint(facts) };
}

function removalWords(reason: string | null | undefined): string {
  switch (reason) {
    case 'unused':
      return 'it was not needed during the retention of incidents';
    case 'budget':
      return 'the maps of the project exceeded their share';
    case 'replaced':
      return 'another file was uploaded with its debug id';
    default:
      return 'a member deleted it';
  }
}

function name(file: string): string {
  return file === '' ? 'The file' : baseName(file);
}

/** The last part of a path or an address, without query and fragment. */
export function baseName(file: string): string {
  const path = file.split(/[?#]/, 1)[0] ?? '';
  return path.split(/[\\/]/).at(-1) || path;
}

/** A problem with the source maps of a stack, in words. */
interface MapProblemWords {
  words: string;
  hint: string;
  frames: number;
}

/**
 * Returns the sentence above a stack: how many frames are mapped, and the first problem with its next step. Null if
 * there is nothing to report.
 */
export function symbolicationSentence(
  block:
    | { state: SymbolicationState; mapped: number; unmapped: number; problems: readonly MapProblemWords[] }
    | undefined,
): string | null {
  if (block === undefined || block.state === 'mapped' || block.state === 'not_needed') return null;
  const [first] = block.problems;
  const frames = `${block.mapped} of ${block.mapped + block.unmapped} frames mapped.`;
  return first === undefined ? frames : `${frames} ${first.words} Next: ${first.hint}`;
}
