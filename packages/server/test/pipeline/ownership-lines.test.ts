import { readOwnership } from '@culprit/contract/workspace/owner-lines';
import { describe, expect, it } from 'vitest';
import {
  compileOwnership,
  decideLine,
  type OwnedFacts,
} from '../../src/pipeline/incidents/ownership/decide-line.ts';
import {
  filePath,
  findRoot,
  fitsPath,
  pathGlob,
  rootGlobs,
  textGlob,
} from '../../src/pipeline/incidents/ownership/globs.ts';

/** Which line decides about an incident (docs/contract/team-workflow.md 2.3, 20: 13, 14). */

const FACTS: OwnedFacts = {
  service: 'checkout-api',
  environment: 'production',
  files: ['/srv/app/src/checkout/cart.ts', 'src/lib/money.ts', 'src/main.ts', 'src/late.ts'],
  types: ['TypeError'],
  routes: ['/api/pay/:id'],
  tags: new Map([['tenant', ['acme', 'globex']]]),
  checks: [],
  heartbeats: [],
};

/** The number of the line that decides. */
function decide(text: string, facts: Partial<OwnedFacts> = {}): number | null {
  const { lines, fault } = readOwnership(text);
  expect(fault).toBeNull();
  return decideLine(compileOwnership(lines), { ...FACTS, ...facts })?.number ?? null;
}

/** Returns true if a glob fits a path in a file without other lines. */
function fitsAlone(written: string, text: string): boolean {
  const glob = pathGlob(written);
  const path = filePath(text);
  return fitsPath(glob, path, findRoot(rootGlobs([glob]), path));
}

describe('globs of paths', () => {
  const CASES: readonly [glob: string, fitting: readonly string[], others: readonly string[]][] = [
    ['*', ['a.ts', 'src/a.ts'], []],
    ['*.js', ['a.js', 'src/deep/a.js'], ['a.jsx', 'js/a.ts']],
    ['/build/logs/', ['build/logs/a.log', '/srv/build/logs/x/y.log'], ['build/logs', 'logs/a.log']],
    ['texts/*', ['texts/a.md', 'x/texts/a.md'], ['texts/b/a.md']],
    ['apps/', ['apps/a.ts', 'x/apps/b/c.ts'], ['apps', 'app/a.ts']],
    ['/texts', ['texts/a.md', 'texts/b/c.md'], ['documents/a.md']],
    ['**/logs', ['logs/a', 'build/logs/b', 'deep/down/logs/c'], ['blogs/a']],
    ['src/**', ['src/a.ts', 'src/b/c.ts', '/app/src/d.ts'], ['lib/a.ts']],
    ['src/**/cart.ts', ['src/cart.ts', 'src/a/b/cart.ts'], ['src/cart.tsx']],
    ['packages/*/index.ts', ['packages/a/index.ts'], ['packages/a/b/index.ts']],
    ['src/a?.ts', ['src/ab.ts'], ['src/a.ts', 'src/abc.ts']],
    ['C\\app', [], ['D/app']],
  ];

  it.each(CASES)('%s', (glob, fitting, others) => {
    const fits = (path: string) => fitsAlone(glob, path);
    expect(fitting.filter((path) => !fits(path))).toEqual([]);
    expect(others.filter((path) => fits(path))).toEqual([]);
  });

  it('take both kinds of slashes, and grow in steps that no glob can multiply', () => {
    expect(fitsAlone('src/*.ts', 'C:\\app\\src\\a.ts')).toBe(true);
    const path = Array.from({ length: 100 }, () => 'a'.repeat(2)).join('/');
    expect(fitsAlone(`${'**/a*a*/'.repeat(50)}b`, path)).toBe(false);
  });
});

describe('globs of texts', () => {
  it('fit the whole text, with a star that stays within a segment', () => {
    expect(textGlob('checkout-*')('checkout-api')).toBe(true);
    expect(textGlob('checkout')('checkout-api')).toBe(false);
    expect(textGlob('*TimeoutError')('net.TimeoutError')).toBe(true);
    expect(textGlob('/api/pay/*')('/api/pay/:id')).toBe(true);
    expect(textGlob('/api/*')('/api/pay/:id')).toBe(false);
    expect(textGlob('/api/**')('/api/pay/:id')).toBe(true);
  });
});

describe('lines', () => {
  it('the last that matches decides, of whatever kind', () => {
    expect(decide('* @a\nsrc/** @b\nservice:checkout-* @c')).toBe(3);
    expect(decide('service:checkout-* @c\nsrc/** @b')).toBe(2);
    expect(decide('src/** @b\nenv:production none')).toBe(2);
    expect(decide('tag.tenant:glob* @a')).toBe(1);
    expect(decide('tag.tenant:other @a\nroute:/api/pay/* @b\ntype:*Error @c')).toBe(3);
    expect(decide('lib2/** @a')).toBeNull();
  });

  it('name checks and heartbeats, with a backslash before spaces', () => {
    expect(decide('* @a\ncheck:Shop\\ * @b', { checks: ['Shop front'], files: [] })).toBe(2);
    expect(decide('* @a\nheartbeat:nightly-* @b', { heartbeats: ['nightly-billing'], files: [] })).toBe(2);
    expect(decide('check:* @a\nheartbeat:* @b')).toBeNull();
    expect(compileOwnership(readOwnership('check:* @a').lines).hasMonitors).toBe(true);
    expect(compileOwnership(readOwnership('* @a').lines).hasMonitors).toBe(false);
  });

  it('end with a priority, also of an incident for no one', () => {
    const of = (text: string) => readOwnership(text).lines.map(({ owners, priority }) => [owners, priority]);
    expect(of('* @a @b priority=high\nenv:test none priority=low\nenv:dev priority=low\n* @a')).toEqual([
      [['@a', '@b'], 'high'],
      [[], 'low'],
      [[], 'low'],
      [['@a'], null],
    ]);
    expect(readOwnership('* @a\n* @a priority=now').fault).toEqual({
      line: 2,
      words: 'priority= takes low, normal, high, urgent',
    });
    expect(readOwnership('* priority=high @a').fault?.words).toBe('priority= is the last word of a line');
  });

  it('the second and third own frame are tried only when no line matches those before them', () => {
    expect(decide('src/lib/** @a\nsrc/checkout/** @b')).toBe(2);
    expect(decide('src/checkout/** @b\nsrc/lib/** @a')).toBe(1);
    expect(decide('src/lib/** @a\nsrc/main.ts @b')).toBe(1);
    expect(decide('src/main.ts @b')).toBe(1);
    expect(decide('src/late.ts @b')).toBeNull();
    expect(decide('service:checkout-api @a\nsrc/lib/** @b')).toBe(1);
  });

  it('without own frames no path matches, but the star catches all', () => {
    expect(decide('**/*.css @a\nsrc/ @b', { files: [] })).toBeNull();
    expect(decide('* @a\n**/*.css @b', { files: [] })).toBe(1);
  });

  it('all matchers of a line must match', () => {
    expect(decide('src/** && service:checkout-* @a')).toBe(1);
    expect(decide('src/** && service:other @a')).toBeNull();
  });

  it('read comments, escapes and owners, and files of CODEOWNERS as they are', () => {
    const { lines } = readOwnership('# all\n\n*  @a b@example.test # the rest\npath\\ x/ none\n/only/path\n');
    expect(lines).toMatchObject([
      { number: 3, matchers: [{ kind: 'path', glob: '*' }], owners: ['@a', 'b@example.test'] },
      { number: 4, matchers: [{ kind: 'path', glob: 'path x/' }], owners: [] },
      { number: 5, owners: [] },
    ]);
    const long = Array.from({ length: 200 }, (_, n) => `/packages/p${n}/**/*.ts @org/team-${n}`).join('\n');
    expect(readOwnership(long)).toMatchObject({ fault: null, lines: { length: 200 } });
  });

  it('have the owners of their section of GitLab, unless they name their own', () => {
    const { lines, fault } = readOwnership(
      '[Texts] @writers\ntexts/\nREADME.md @ada\n^[Data base][2] @dba b@example.test # both\nmodel/\n!model/old/\nx none\n[Rest]\ny\n[slug]/page.ts @web',
    );
    expect(fault).toBeNull();
    expect(lines.map(({ matchers: [matcher], owners }) => [matcher?.glob, owners])).toEqual([
      ['texts/', ['@writers']],
      ['README.md', ['@ada']],
      ['model/', ['@dba', 'b@example.test']],
      ['model/old/', []],
      ['x', []],
      ['y', []],
      ['[slug]/page.ts', ['@web']],
    ]);
  });

  it.each([
    ['a @b\nservice: @a', 2],
    ['a && @b', null],
    ['&& a', 1],
    ['src/** &&', 1],
    ['tag.a/b:x @a', 1],
    ['!src @a', 1],
    ['!', 1],
    ['a\n'.repeat(1001), 1001],
    ['x'.repeat(65_537), 1],
  ])('what cannot be read is named by its line: %#', (text, line) => {
    expect(readOwnership(text).fault?.line ?? null).toBe(line);
  });
});

it('a line is read without the marks of direction that were copied with it', () => {
  const { lines, fault } = readOwnership('\ufeff\u202e/src/\u2066 \u200f@ada\u202c\u2069');
  expect(fault).toBeNull();
  expect(lines).toEqual([
    {
      number: 1,
      text: '/src/ @ada',
      matchers: [{ kind: 'path', glob: '/src/' }],
      owners: ['@ada'],
      priority: null,
    },
  ]);
});
