import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const CHAPTER_NAMES = [
  'account',
  'incidents',
  'ingestion',
  'notifications',
  'clients',
  'dashboard',
  'command-line',
  'server-additions',
  'grouping',
];
/** A chapter or rule that is named without its path: nobody could find it. */
const BARE = new RegExp(
  `(?<![\\w/.\\-\\[(\`])(?:${CHAPTER_NAMES.join('|')})\\.md|reliability[\\s*]+(?:rules?\\b|tests?[\\s*]+\\d)`,
  'i',
);
const CITED = /docs\/(?:[\w-]+\/)*[\w-]+\.(?:md|json)/g;
/** A path between backticks, in prose that says where it begins. */
const NAMED_PATH = /`((?:[\w.-]+\/)+[\w.-]*)`/g;
/** What paths in the documents of developers are relative to. */
const PATH_ROOTS = [
  '',
  'packages/',
  'packages/server/',
  'packages/server/src/',
  'packages/server/test/',
  'packages/evidence/src/',
];
const LINK = /\]\((?!https?:)([\w./-]+)(?:#[\w-]*)?\)/g;

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

function missingCitations(text: string): string[] {
  return [...text.matchAll(CITED)].map(([path]) => path).filter((path) => !existsSync(join(ROOT, path)));
}

describe('what sources and documents cite', () => {
  const sources = tracked.filter((path) => /\.(?:ts|mjs)$/.test(path) && !path.endsWith('citations.test.ts'));

  it('is there, by its path in this repository', () => {
    const faults = sources.flatMap((path) => {
      const text = read(path);
      const bare = BARE.exec(text)?.[0];
      const missing = missingCitations(text);
      return [...(bare === undefined ? [] : [bare]), ...missing].map((cited) => `${path}: ${cited}`);
    });
    expect(faults).toEqual([]);
    expect(missingCitations('docs/contract/nowhere.md 3')).toEqual(['docs/contract/nowhere.md']);
    const planted = [
      'see incidents.md 3.4',
      'Reliability rule A6',
      '(reliability\n * test 20)',
      'reliability rules',
    ];
    for (const text of planted) expect(text).toMatch(BARE);
  });

  it('is where the documents of developers say that it is', () => {
    const documents = tracked.filter((path) =>
      /^(?:CONTRIBUTING|docs\/(?:architecture|glossary)|docs\/decisions\/[\w-]+)\.md$/.test(path),
    );
    const isThere = (named: string) => {
      // `evidence/` and `contract/` stand for the packages of that name.
      const inPackage = named.replace(/^evidence\//, 'packages/evidence/src/');
      return PATH_ROOTS.some((root) => existsSync(join(ROOT, root, inPackage)));
    };
    const faults = documents.flatMap((path) =>
      [...read(path).matchAll(NAMED_PATH)]
        .map(([, named = '']) => named)
        .filter((named) => !isThere(named))
        .map((named) => `${path}: ${named}`),
    );
    expect(documents.length).toBeGreaterThan(8);
    expect(faults).toEqual([]);
    expect(isThere('platform/nowhere')).toBe(false);
  });

  it('is where the links of documents lead', () => {
    const documents = tracked.filter((path) => path.endsWith('.md'));
    const faults = documents.flatMap((path) =>
      [...read(path).matchAll(LINK)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(faults).toEqual([]);
  });
});
