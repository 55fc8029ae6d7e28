import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import {
  codeLink,
  commitLink,
  commonRepository,
  compareLink,
  lineLink,
  type Repository,
  type RepositoryKind,
  repositoryOf,
  repositoryUrlFault,
} from '@culprit/contract/releases/repository-links';
import { describe, expect, it } from 'vitest';
import example from '../../../evidence/test/bundles/contract-example.json' with { type: 'json' };

/** Links to code (docs/contract/incidents.md 7.7). */

const COMMIT = '6e3ef9e1f0c2a4b6d8e0f1a2b3c4d5e6f7a8b9c0';
const PLACE = 'src/pricing/discounts.ts:88:12';

function repository(kind: RepositoryKind, url: string, rest: Partial<Repository> = {}): Repository {
  return { kind, url, service: null, strip_prefix: null, folder: null, ...rest };
}
const SHOP = repository('github', 'https://github.com/acme/shop');

describe('the addresses of a commit and of a comparison', () => {
  const BEFORE = '0123456789abcdef';

  it('have the form of each product, and a template has none', () => {
    const links = (['github', 'gitlab', 'bitbucket', 'gitea', 'azure'] as const).map((kind) => {
      const there = repository(kind, 'https://git.example/acme/shop//');
      return [commitLink(there, COMMIT), compareLink(there, BEFORE, COMMIT)].map((each) =>
        each?.replace('https://git.example/acme/shop', ''),
      );
    });
    expect(links).toEqual([
      [`/commit/${COMMIT}`, `/compare/${BEFORE}...${COMMIT}`],
      [`/-/commit/${COMMIT}`, `/-/compare/${BEFORE}...${COMMIT}`],
      [`/commits/${COMMIT}`, `/branches/compare/${COMMIT}..${BEFORE}`],
      [`/commit/${COMMIT}`, `/compare/${BEFORE}...${COMMIT}`],
      [`/commit/${COMMIT}`, `/branchCompare?baseVersion=GC${BEFORE}&targetVersion=GC${COMMIT}`],
    ]);
    const other = repository('template', 'https://git.example/x?f={path}&c={commit}');
    expect([commitLink(other, COMMIT), compareLink(other, BEFORE, COMMIT)]).toEqual([null, null]);
  });

  it('are there for commits alone, and never lead elsewhere', () => {
    for (const commit of [null, '', 'main', '../x', `${COMMIT}/../../evil`, 'v1.2.3', '123456']) {
      expect(commitLink(SHOP, commit)).toBeNull();
      expect(compareLink(SHOP, commit, COMMIT)).toBeNull();
      expect(compareLink(SHOP, BEFORE, commit)).toBeNull();
    }
    expect(compareLink(SHOP, COMMIT, COMMIT)).toBeNull();
  });

  it('are those of the repository that all services of a release have', () => {
    const other = { ...SHOP, url: 'https://github.com/acme/worker', service: 'worker*' };
    const of = (...services: string[]) => commonRepository([other, SHOP], services)?.url ?? null;
    expect(of('checkout', 'cart')).toBe(SHOP.url);
    expect(of('worker-1', 'worker-2')).toBe(other.url);
    expect(of('checkout', 'worker-1')).toBeNull();
    expect(of()).toBeNull();
    expect(commonRepository([other], [])).toBe(other);
    expect(commonRepository([other], ['worker-1', 'checkout'])).toBeNull();
  });
});

describe('the address of a line', () => {
  it('has the form of each product, at the commit', () => {
    const links = (
      [
        ['github', 'https://github.com/acme/shop/'],
        ['gitlab', 'https://gitlab.com/acme/shop'],
        ['bitbucket', 'https://bitbucket.org/acme/shop'],
        ['gitea', 'https://codeberg.org/acme/shop'],
        ['azure', 'https://dev.azure.com/acme/shop/_git/shop'],
        ['template', 'https://git.example/x?f={path}&l={line}&c={commit}'],
      ] as const
    ).map(([kind, url]) => lineLink(repository(kind, url), PLACE, COMMIT));
    const path = 'src/pricing/discounts.ts';
    expect(links).toEqual([
      `https://github.com/acme/shop/blob/${COMMIT}/${path}#L88`,
      `https://gitlab.com/acme/shop/-/blob/${COMMIT}/${path}#L88`,
      `https://bitbucket.org/acme/shop/src/${COMMIT}/${path}#lines-88`,
      `https://codeberg.org/acme/shop/src/commit/${COMMIT}/${path}#L88`,
      `https://dev.azure.com/acme/shop/_git/shop?path=/${path}&version=GC${COMMIT}&line=88&lineEnd=89&lineStartColumn=1&lineEndColumn=1`,
      `https://git.example/x?f=${path}&l=88&c=${COMMIT}`,
    ]);
  });

  it('is that of the file in the repository, whatever folder the code runs in', () => {
    const placed = { ...SHOP, strip_prefix: '/srv/app/', folder: 'services/checkout' };
    const end = (place: string) => lineLink(placed, place, COMMIT)?.split(`${COMMIT}/`)[1] ?? null;
    expect(end('/srv/app/src/a.ts:1')).toBe('services/checkout/src/a.ts#L1');
    expect(end('./src/a.ts:1')).toBe('services/checkout/src/a.ts#L1');
    expect(end('src\\a.ts:1:2')).toBe('services/checkout/src/a.ts#L1');
    expect(end('/usr/lib/python3/ssl.py:1')).toBeNull();
    expect(end('/srv/application/a.ts:1')).toBeNull();
    const windows = { ...SHOP, strip_prefix: 'C:\\app' };
    expect(lineLink(windows, 'C:\\app\\Program.cs:7', COMMIT)).toContain('/Program.cs#L7');
    expect(lineLink(windows, 'D:\\other\\Program.cs:7', COMMIT)).toBeNull();
  });

  it('never leaves the repository, whatever the failing application sends', () => {
    for (const place of [
      '../../evil/repo/x.ts:1',
      'src/../../../x.ts:1',
      'src\\..\\..\\x.ts:1',
      '//evil.example/x.ts:1',
      'https://evil.example/x.ts:1',
      'javascript:alert(1)//:1',
      'node:fs:1',
      'x\u0000.ts:1',
      'x.ts',
      ':1',
      `${'a/'.repeat(2000)}x.ts:1`,
    ]) {
      expect(lineLink(SHOP, place, COMMIT), place).toBeNull();
    }
    const odd = lineLink(SHOP, 'src/a b?c#d%2e%2e{commit}"<>/@x.ts:1', COMMIT);
    expect(odd).toBe(
      `https://github.com/acme/shop/blob/${COMMIT}/src/a%20b%3Fc%23d%252e%252e%7Bcommit%7D%22%3C%3E/%40x.ts#L1`,
    );
    for (const commit of [null, '', 'main', '../../x', `${COMMIT}/../y`, 'abc']) {
      expect(lineLink(SHOP, PLACE, commit)).toBeNull();
    }
  });
});

describe('a repository', () => {
  it('is the first that names the service', () => {
    const all = [
      { ...SHOP, service: 'web' },
      { ...SHOP, service: 'pay*' },
      { ...SHOP, folder: 'rest' },
    ];
    expect(repositoryOf(all, 'web')).toBe(all[0]);
    expect(repositoryOf(all, 'payments')).toBe(all[1]);
    expect(repositoryOf(all, 'website')).toBe(all[2]);
    expect(repositoryOf(all.slice(0, 2), 'website')).toBeNull();
  });

  it('has an https address that names its host', () => {
    const template = 'https://git.example/{commit}/{path}';
    expect(repositoryUrlFault('github', SHOP.url)).toBeNull();
    expect(repositoryUrlFault('gitea', 'https://git.example:8443/acme/shop')).toBeNull();
    expect(repositoryUrlFault('template', template)).toBeNull();
    for (const [kind, url] of [
      ['github', 'http://github.com/acme/shop'],
      ['github', 'javascript:alert(1)'],
      ['github', 'https://user:secret@github.com/acme/shop'],
      ['github', 'https://github.com/acme/shop?x=1'],
      ['github', 'https://github.com/acme/{path}'],
      ['github', 'https://github.com/a b'],
      ['template', 'https://{path}.example/{commit}'],
      ['template', 'https://git.example/{path}'],
      ['template', `${template}"`],
      ['template', `${template}{else}`],
    ] as const) {
      expect(repositoryUrlFault(kind, url), url).not.toBeNull();
    }
  });

  it('gives the line of a bundle where frame and commit are known', () => {
    const bundle: DebugBundle = JSON.parse(JSON.stringify(example));
    const { context, summary } = bundle;
    const git = {
      version: 1,
      commit: COMMIT,
      source: 'env',
      ...{ commit_short: null, branch: null, repo: null, dirty: null },
    } satisfies DebugBundle['context']['git'];
    const own = { file: 'src/a.ts', line: 3, function: 'a' };
    const known = { ...bundle, summary: { ...summary, first_application_frame: own } };
    expect(codeLink([SHOP], { ...known, context: { ...context, git } })).toBe(
      `https://github.com/acme/shop/blob/${COMMIT}/src/a.ts#L3`,
    );
    expect(codeLink([], { ...known, context: { ...context, git } })).toBeNull();
    expect(codeLink([SHOP], { ...known, context: { ...context, git: null, deploy: null } })).toBeNull();
  });
});
