import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { buildCli } from '../../../../scripts/cli/build.ts';
import { ROOT } from '../lanes/test-files.ts';
import { ensurePackages, PACKAGES_DIRECTORY } from '../support/packages.ts';

/** docs/contract/packages.md 5.5, 5.8. */

const TEST_MAX_MS = 180_000;
const folder = mkdtempSync(join(tmpdir(), 'culprit-equal-builds-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function build(root: string, into: string): Map<string, string> {
  execFileSync(process.execPath, [join(root, 'scripts/packages/build.ts'), into]);
  return new Map(readdirSync(into).map((name) => [name, readFileSync(join(into, name)).toString('base64')]));
}

it('two folders with the same sources give the same bytes', { timeout: TEST_MAX_MS }, async () => {
  const copy = join(folder, 'another/place/of/culprit');
  const packages = [
    'cli',
    'contract',
    'evidence',
    'mcp',
    'sdk-browser',
    'sdk-core',
    'sdk-node',
    'source-maps',
  ];
  for (const path of ['package.json', 'LICENSE', 'scripts', ...packages.map((name) => `packages/${name}`)]) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    const isSource = (source: string) => !/\/(?:node_modules|dist|test)$/.test(source);
    cpSync(join(ROOT, path), join(copy, path), { recursive: true, filter: isSource });
  }
  await copyModules(copy);
  const here = build(ROOT, join(folder, 'here'));
  expect([...here.keys()].sort()).toEqual([
    ...['browser', 'cli', 'core', 'node'].map((name) => `culprit-${name}-0.1.0.tgz`),
    'index.json',
    'script.js',
  ]);
  const there = build(copy, join(folder, 'there'));
  for (const [name, content] of here) expect(there.get(name) === content, name).toBe(true);
});

it('what is built of the sources that are there is not built again', { timeout: TEST_MAX_MS }, async () => {
  await ensurePackages();
  const index = join(PACKAGES_DIRECTORY, 'index.json');
  const builtAt = statSync(index).mtimeMs;
  await ensurePackages();
  expect(statSync(index).mtimeMs).toBe(builtAt);
});

/** What is bundled as copies, so that nothing leads back; the tools that bundle as links. */
async function copyModules(copy: string): Promise<void> {
  const modules = join(copy, 'node_modules');
  for (const path of await buildCli(join(folder, 'bundled'))) {
    cpSync(path, join(modules, relative(join(ROOT, 'node_modules'), path)), { recursive: true });
  }
  mkdirSync(join(modules, '@culprit'), { recursive: true });
  for (const name of ['contract', 'evidence', 'mcp', 'source-maps']) {
    symlinkSync(join(copy, 'packages', name), join(modules, '@culprit', name));
  }
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!existsSync(join(modules, name))) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
}
