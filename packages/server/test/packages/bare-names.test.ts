import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  commandLine,
  installLine,
  PACKAGE_MANAGERS,
  type PackageName,
} from '@culprit/contract/setup/install-lines';
import { llmsText, setupPage } from '@culprit/contract/setup/setup-pages';
import { PLATFORMS } from '@culprit/contract/setup/setup-platforms';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../lanes/test-files.ts';

/** docs/contract/packages.md 3: no text installs a name that a stranger could register. */

/** Programs that install or run packages by their names. */
const INSTALLER =
  /\b(?:npx|pnpx|bunx|(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:i|install|add|exec|x|dlx|create|init|pack|view)\b)/;
/** One of our packages by its name: not the part of an address, and not a name before an address. */
const BARE = /(?<![\w/])@culprit\/(?:node|browser|core|cli|mcp|sdk)\b(?!@(?:https?:|\{address\}))/;
/** Our program by its own name, which nobody registered either. */
const BARE_PROGRAM =
  /\b(?:npx|pnpx|bunx)\s+(?:-\S+\s+)*["'`]?culprit\b|\b(?:i|install|add)\s+(?:-\S+\s+)+culprit\b/;
const REGISTRY_LINE = /@culprit:registry=|npmRegistryServer|install\.scopes/;
/** How far above an installation the line with the registry stands. */
const LINES_BEFORE = 16;

/** The lines that install a bare name, each with its number. */
function bareInstalls(text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const isBare = (INSTALLER.test(line) && BARE.test(line)) || BARE_PROGRAM.test(line);
    const before = lines.slice(Math.max(0, at - LINES_BEFORE), at + 1).join('\n');
    return isBare && !REGISTRY_LINE.test(before) ? [`${at + 1}: ${line.trim()}`] : [];
  });
}

/** Everything that people or agents read: documents, and the sources of dashboard, mails, command line and server. */
const READ = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs',
  'deploy',
  'examples',
  'demo',
  ...['cli', 'contract', 'dashboard', 'mcp', 'sdk-browser', 'sdk-core', 'sdk-node', 'server'].flatMap(
    (name) => [`packages/${name}/src`, `packages/${name}/README.md`, `packages/${name}/culprit-setup.json`],
  ),
];
const TEXT = /\.(?:md|mdx|ts|tsx|js|mjs|cjs|json|html|txt|ya?ml|sh|toml)$/;

function filesOf(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return TEXT.test(path) ? [path] : [];
  return readdirSync(path)
    .filter((name) => name !== 'node_modules' && name !== '.next')
    .flatMap((name) => filesOf(join(path, name)));
}

const SOURCE = { baseUrl: 'http://localhost:4800', version: versionOf() };
const PACKAGES = {
  version: SOURCE.version,
  script_path: `/script/culprit-${SOURCE.version}-01234567.js`,
  script_integrity: 'sha384-x',
};

function versionOf(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(join(ROOT, 'packages/cli/package.json'), 'utf8'),
  );
  return manifest.version;
}

describe('the walk for bare names', () => {
  it('finds each kind of a planted one, and none where a registry or an address is named', () => {
    for (const planted of [
      'npm install @culprit/node',
      'npm i -g @culprit/cli',
      'pnpm add "@culprit/browser"',
      'yarn add @culprit/node@0.1.0',
      'bun add @culprit/node express',
      '{"command":"npx","args":["-y","@culprit/cli@0.1.0","mcp"]}',
      "run: 'npx -y @culprit/cli login'",
      'npx culprit login',
      'npm install -g culprit',
    ]) {
      expect([planted, bareInstalls(`# Title\n\n${planted}\n`).length]).toEqual([planted, 1]);
    }
    for (const name of ['node', 'cli'] as const satisfies PackageName[]) {
      for (const manager of PACKAGE_MANAGERS) {
        expect(bareInstalls(installLine(SOURCE, [name], manager))).toEqual([]);
      }
    }
    expect(bareInstalls(commandLine(SOURCE, 'login'))).toEqual([]);
    expect(bareInstalls('# .npmrc\n@culprit:registry=http://x/npm/\n\nnpm install @culprit/node')).toEqual(
      [],
    );
  });

  it('finds none in what people read', () => {
    const files = READ.flatMap((path) => filesOf(join(ROOT, path)));
    expect(files.length).toBeGreaterThan(900);
    const found = files.flatMap((path) =>
      bareInstalls(readFileSync(path, 'utf8')).map((line) => `${relative(ROOT, path)}:${line}`),
    );
    expect(found).toEqual([]);
  });

  it('finds none in what is written for one server, whether it hands packages out or not', () => {
    const { baseUrl } = SOURCE;
    for (const platform of PLATFORMS) {
      expect(bareInstalls(setupPage(platform, { baseUrl, appUrl: baseUrl, packages: PACKAGES }))).toEqual([]);
      for (const packages of [PACKAGES, null]) {
        const steps = platform.steps({ token: 't', dsn: `${baseUrl}/1`, baseUrl, packages });
        for (const { code, note = '' } of steps) expect(bareInstalls(`${code}\n${note}`)).toEqual([]);
      }
    }
    expect(bareInstalls(llmsText({ baseUrl, appUrl: baseUrl, packages: PACKAGES }))).toEqual([]);
  });

  it('finds a registry beside each manifest of an example, which would be asked for our names', () => {
    const folders = readdirSync(join(ROOT, 'examples')).filter(
      (name) =>
        statSync(join(ROOT, 'examples', name, 'package.json'), { throwIfNoEntry: false }) !== undefined,
    );
    expect(folders.length).toBeGreaterThan(3);
    for (const name of folders) {
      expect(readFileSync(join(ROOT, 'examples', name, '.npmrc'), 'utf8')).toBe(
        '@culprit:registry=http://localhost:4800/npm/\n',
      );
    }
  });
});

describe('the documents', () => {
  it('have the lines of the table, for the server that npm start starts', () => {
    for (const [file, ...names] of [
      ['README.md', 'node'],
      ['packages/sdk-node/README.md', 'node'],
      ['packages/sdk-browser/README.md', 'browser'],
    ] as const) {
      expect(readFileSync(join(ROOT, file), 'utf8')).toContain(`\n${installLine(SOURCE, names)}\n`);
    }
    for (const file of ['docs/command-line.md', 'docs/agents.md']) {
      expect(readFileSync(join(ROOT, file), 'utf8')).toContain(commandLine(SOURCE, ''));
    }
    const cli = installLine(SOURCE, ['cli']).replace('install', 'install -g');
    expect(readFileSync(join(ROOT, 'packages/cli/README.md'), 'utf8')).toContain(`\n${cli}\n`);
  });
});
