import { readOwnership } from '@culprit/contract/workspace/owner-lines';
import { describe, expect, it } from 'vitest';
import { compileOwnership, decideLine } from '../../src/pipeline/incidents/ownership/decide-line.ts';

/**
 * docs/contract/team-workflow.md 20, item 14: a file of 200 lines in the forms that GitHub documents, and the owners which
 * that documentation defines for the paths of its repository.
 */

const FILE = `# The owners of everything, unless a later line names others.
*       @global-one @global-two

# The last line that matches decides.
*.js    @js-owner #a comment after the owner
*.go texts@example.com
*.txt @octo-org/octocats
*.test.ts	@testers

/build/logs/ @doctocat
# Files of the folder itself, not of those below.
texts/* texts@example.com
# A folder of this name anywhere.
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat

# Everything in the folder but one part, which has no owners.
/services/ @octocat
/services/legacy

/config/**/*.yml @ops
/lib/*/index.ts @lib
/with\\ space/ @space
/src/ @root
Makefile @build
/package.json @build
`;
const LINES = 200;

/** Packages, each with an owner, up to 200 lines; each tenth has a part of others. */
function codeOwners(): string {
  const lines = FILE.split('\n').slice(0, -1);
  for (let n = 1; lines.length < LINES; n += 1) {
    lines.push(
      n % 10 === 0 ? `/packages/p${n - 1}/src/api/** @octo-org/api` : `/packages/p${n}/ @octo-org/team-${n}`,
    );
  }
  return lines.join('\n');
}

const PATHS: readonly [path: string, owners: string][] = [
  ['README.md', '@global-one @global-two'],
  ['deep/down/README.md', '@global-one @global-two'],
  ['a.js', '@js-owner'],
  ['deep/down/a.js', '@js-owner'],
  ['a.jsx', '@global-one @global-two'],
  ['js', '@global-one @global-two'],
  ['.js', '@js-owner'],
  ['main.go', 'texts@example.com'],
  ['cmd/server/main.go', 'texts@example.com'],
  ['notes.txt', '@octo-org/octocats'],
  ['deep/notes.txt', '@octo-org/octocats'],
  ['cart.test.ts', '@testers'],
  ['deep/cart.test.ts', '@testers'],
  ['build/logs/today.log', '@octocat'],
  ['build/logs/2026/today.log', '@octocat'],
  ['build/logs', '@octocat'],
  ['build/today.log', '@global-one @global-two'],
  ['texts/start.md', 'texts@example.com'],
  ['texts/start.js', 'texts@example.com'],
  ['texts/build/trouble.md', '@global-one @global-two'],
  ['texts/build/trouble.js', '@js-owner'],
  ['apps/a.ts', '@octocat'],
  ['apps/web/a.js', '@octocat'],
  ['deep/apps/web/a.ts', '@octocat'],
  ['apps', '@global-one @global-two'],
  ['apps2/a.ts', '@global-one @global-two'],
  ['docs/start.rst', '@doctocat'],
  ['docs/deep/start.txt', '@doctocat'],
  ['docs/apps/a.ts', '@doctocat'],
  ['scripts/release.js', '@doctocat @octocat'],
  ['scripts/logs/a.log', '@octocat'],
  ['logs/a.log', '@octocat'],
  ['deeply/nested/logs/a.js', '@octocat'],
  ['blogs/a.md', '@global-one @global-two'],
  ['services/pay.ts', '@octocat'],
  ['services/legacy/pay.js', ''],
  ['services/legacy', ''],
  ['services/legacy2/pay.ts', '@octocat'],
  ['config/app.yml', '@ops'],
  ['config/prod/eu/app.yml', '@ops'],
  ['config/app.json', '@global-one @global-two'],
  ['lib/a/index.ts', '@lib'],
  ['lib/a/b/index.ts', '@global-one @global-two'],
  ['with space/a.ts', '@space'],
  ['src/a.ts', '@root'],
  ['deep/Makefile', '@build'],
  ['makefile', '@global-one @global-two'],
  ['package.json', '@build'],
  ['packages/p3/package.json', '@octo-org/team-3'],
  ['packages/p9/src/api/a.js', '@octo-org/api'],
  ['packages/p9/src/a.js', '@octo-org/team-9'],
  ['packages/p151/docs/src/a.ts', '@octo-org/team-151'],
  ['packages/unknown/a.js', '@js-owner'],
];

describe('a file of code owners', () => {
  const text = codeOwners();
  const { lines, fault } = readOwnership(text);
  const ownership = compileOwnership(lines);
  const ownersOf = (file: string) =>
    decideLine(ownership, {
      ...{ service: 'web', environment: 'production', files: [file], types: [], routes: [] },
      ...{ tags: new Map(), checks: [], heartbeats: [] },
    })?.owners.join(' ');

  it('is read unchanged', () => {
    expect(fault).toBeNull();
    expect(text.split('\n')).toHaveLength(LINES);
    expect(PATHS.length).toBeGreaterThanOrEqual(50);
  });

  it.each(PATHS)('%s has the owners %j', (path, owners) => {
    expect(ownersOf(path)).toBe(owners);
  });

  it('has the same owners where the application runs below other folders', () => {
    // A path that no line anchors could be of another repository.
    const placed = PATHS.filter(([path]) =>
      /^(?:packages\/p|services|docs|scripts|lib\/a\/index)/.test(path),
    );
    expect(placed.length).toBeGreaterThan(10);
    for (const root of ['/srv/app/', '/home/ada/shop/', 'C:\\builds\\shop\\']) {
      expect(placed.map(([path]) => [path, ownersOf(root + path)])).toEqual(placed);
    }
  });
});
