import { readOwnership } from '@culprit/contract/workspace/owner-lines';
import { expect, it } from 'vitest';
import {
  compileOwnership,
  decideLine,
  type OwnedFacts,
} from '../../src/pipeline/incidents/ownership/decide-line.ts';
import { filePath, fitsPath, pathGlob, textGlob } from '../../src/pipeline/incidents/ownership/globs.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** Of many lines only those are compared that may fit (docs/contract/team-workflow.md 2.3). */

const TEXTS = 40;
const LINES = 40;
const FILES = 20;
const PARTS = [
  'a',
  'b',
  'src',
  'a.ts',
  'b.ts',
  'a.test.ts',
  '.ts',
  'x*y',
  '*',
  '**',
  '*.ts',
  '*.t?',
  'a*',
  '?.ts',
];
const NAMES = ['a', 'b', 'src', 'a.ts', 'b.ts', 'a.test.ts', '.ts', 'x-y', 'ab', 'ts'];

it('the line that decides is the one that comparing each of them finds', () => {
  const random = seededRandom(41);
  const joined = (parts: readonly string[], most: number) =>
    Array.from({ length: random.integer(1, most) }, () => random.pick(parts)).join('/');
  const matcher = () =>
    random.integer(0, 3) === 0
      ? `${random.pick(['service', 'env', 'type', 'route', 'tag.t'])}:${random.pick(['a', 'b', 'a*', '*b', '?'])}`
      : `${random.pick(['', '', '/'])}${joined(PARTS, 4)}${random.pick(['', '', '/'])}`;
  let decided = 0;
  for (let text = 0; text < TEXTS; text += 1) {
    const written = Array.from({ length: LINES }, () =>
      random.integer(0, 4) === 0 ? `${matcher()} && ${matcher()} @a` : `${matcher()} @a`,
    ).filter((line) => !/^\/?\*{1,2} /.test(line));
    const { lines, fault } = readOwnership(written.join('\n'));
    expect(fault).toBeNull();
    const ownership = compileOwnership(lines);
    for (let file = 0; file < FILES; file += 1) {
      const facts: OwnedFacts = {
        ...{ service: random.pick(['a', 'ab', 'c']), environment: random.pick(['b', 'c']) },
        ...{ types: [random.pick(['a', 'bb'])], routes: [], checks: [], heartbeats: [] },
        files: [`${random.pick(['', '/', 'C:\\'])}${joined(NAMES, 5)}`],
        tags: new Map([['t', [random.pick(['a', 'cb'])]]]),
      };
      const found = decideLine(ownership, facts);
      expect(found?.text, `${facts.files[0]} by\n${written.join('\n')}`).toBe(
        decideByEach(lines, facts)?.text,
      );
      if (found !== null) decided += 1;
    }
  }
  expect(decided).toBeGreaterThan(TEXTS);
});

type Lines = ReturnType<typeof readOwnership>['lines'];

function decideByEach(lines: Lines, { service, environment, types, files, tags }: OwnedFacts) {
  const path = filePath(files[0] ?? '');
  const globs = lines.flatMap(({ matchers }) =>
    matchers.flatMap(({ kind, glob }) => (kind === 'path' ? [pathGlob(glob)] : [])),
  );
  const isRoot = (start: number) =>
    globs.some(({ rootName, fitsFrom }) => rootName !== null && fitsFrom(path.segments, start));
  const starts = [...path.segments.keys()];
  const [root = null] = [...(path.isAbsolute ? [...starts.slice(1), 0] : starts)].filter(isRoot);
  const values = new Map([
    ['service', [service]],
    ['env', [environment]],
    ['type', types],
    ['tag.t', tags.get('t') ?? []],
  ]);
  return lines.findLast(({ matchers }) =>
    matchers.every(({ kind, glob }) =>
      kind === 'path'
        ? glob === '*' || glob === '**' || fitsPath(pathGlob(glob), path, root)
        : (values.get(kind) ?? []).some(textGlob(glob)),
    ),
  );
}
