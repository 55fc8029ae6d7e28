import type { MatcherKind, OwnerLine } from '@culprit/contract/workspace/owner-lines';
import {
  filePath,
  findRoot,
  fitsPath,
  type Glob,
  type PathGlob,
  pathGlob,
  type RootGlobs,
  rootGlobs,
  textGlob,
} from './globs.ts';
import { entriesMet, indexByNeeds, type NeedIndex } from './need-index.ts';

/** The facts with which lines are compared. */
export interface OwnedFacts {
  service: string;
  environment: string;
  /** The file of the application's frame that failed first; empty: there is none. */
  files: readonly string[];
  types: readonly string[];
  routes: readonly string[];
  /** Values by key, of the keys that lines name. */
  tags: ReadonlyMap<string, readonly string[]>;
  /** Names of the availability checks that made it, and slugs of the heartbeats. */
  checks: readonly string[];
  heartbeats: readonly string[];
}

type CompiledMatcher =
  | { kind: 'path'; glob: PathGlob; isCatchAll: boolean }
  | { kind: Exclude<MatcherKind, 'path'>; fits: Glob };

interface CompiledLine {
  line: OwnerLine;
  matchers: readonly CompiledMatcher[];
}

/** Lines that were compiled once. */
export interface CompiledOwnership {
  lines: NeedIndex<CompiledLine>;
  /** The globs of all lines by which the root of a path is found. */
  roots: RootGlobs;
  /** Keys of tags that lines name. */
  tagKeys: readonly string[];
  /** True if lines name checks or heartbeats. */
  hasMonitors: boolean;
}

/** The number of in-app frames whose files are tried, each only when no line matches those before it. */
const FRAMES_TRIED = 3;

export function compileOwnership(lines: readonly OwnerLine[]): CompiledOwnership {
  const compiled = lines.map((line) => ({
    line,
    matchers: line.matchers.map(
      ({ kind, glob }): CompiledMatcher =>
        kind === 'path'
          ? { kind, glob: pathGlob(glob), isCatchAll: glob === '*' || glob === '**' }
          : { kind, fits: textGlob(glob) },
    ),
  }));
  const paths = compiled.flatMap(({ matchers }) =>
    matchers.flatMap((matcher) => (matcher.kind === 'path' ? [matcher.glob] : [])),
  );
  const keys = compiled.flatMap(({ matchers }) =>
    matchers.flatMap(({ kind }) => (kind.startsWith('tag.') ? kind.slice('tag.'.length) : [])),
  );
  const hasMonitors = compiled.some(({ matchers }) =>
    matchers.some(({ kind }) => kind === 'check' || kind === 'heartbeat'),
  );
  return {
    lines: indexByNeeds(compiled.map((entry) => ({ entry, needs: needsOf(entry) }))),
    roots: rootGlobs(paths),
    ...{ tagKeys: [...new Set(keys)], hasMonitors },
  };
}

/** Marks of paths, and facts with the name of their kind. */
function needsOf({ line, matchers }: CompiledLine): string[] {
  const facts = line.matchers.filter(({ kind, glob }) => kind !== 'path' && !/[*?]/.test(glob));
  return [
    ...matchers.flatMap((matcher) => (matcher.kind === 'path' ? matcher.glob.needs : [])),
    ...facts.map(({ kind, glob }) => `${kind}:${glob}`),
  ];
}

/**
 * Returns the line that decides: the last that matches, by the first in-app frame for which one does; null if none
 * does.
 */
export function decideLine(ownership: CompiledOwnership, facts: OwnedFacts): OwnerLine | null {
  const files: (string | null)[] = facts.files.slice(0, FRAMES_TRIED);
  if (files.length === 0) files.push(null);
  const factMarks = marksOf(facts);
  for (const file of files) {
    const path = file === null ? null : filePath(file);
    const root = path === null ? null : findRoot(ownership.roots, path);
    const met = entriesMet(ownership.lines, path === null ? factMarks : new Set([...factMarks, ...path.marks]));
    const found = met
      .sort((a, b) => b.line.number - a.line.number)
      .find(({ matchers }) =>
        matchers.every((matcher) =>
          matcher.kind === 'path'
            ? matcher.isCatchAll || (path !== null && fitsPath(matcher.glob, path, root))
            : valuesOf(matcher.kind, facts).some(matcher.fits),
        ),
      );
    if (found !== undefined) return found.line;
  }
  return null;
}

function marksOf(facts: OwnedFacts): ReadonlySet<string> {
  const kinds = ['service', 'env', 'route', 'type', 'check', 'heartbeat'] as const;
  const marks = new Set<string>();
  for (const kind of kinds) for (const value of valuesOf(kind, facts)) marks.add(`${kind}:${value}`);
  for (const [key, values] of facts.tags) for (const value of values) marks.add(`tag.${key}:${value}`);
  return marks;
}

function valuesOf(kind: Exclude<MatcherKind, 'path'>, facts: OwnedFacts): readonly string[] {
  switch (kind) {
    case 'service':
      return [facts.service];
    case 'env':
      return [facts.environment];
    case 'route':
      return facts.routes;
    case 'type':
      return facts.types;
    case 'check':
      return facts.checks;
    case 'heartbeat':
      return facts.heartbeats;
    default:
      return facts.tags.get(kind.slice('tag.'.length)) ?? [];
  }
}
