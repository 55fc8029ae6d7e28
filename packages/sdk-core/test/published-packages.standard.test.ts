import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT, SDK_PACKAGES } from '../../../scripts/sdk/sdk-packages.ts';
import {
  type HostFolder,
  hostFolder,
  installHosts,
  NODE_VERSIONS,
  nodeProgram,
} from '../../sdk-test-hosts/hosts.ts';
import { type PackedSdk, packedSdk } from '../../sdk-test-hosts/packed-sdk.ts';

/** The published packages as tools and every supported Node see them (docs/contract/clients.md 1.2). */

const INSTALL_MAX_MS = 300_000;
/** Of packages with modules only, `require` is not asked for; the script is no module at all. */
const MODULES_ONLY = ['CJSResolvesToESM', 'NoResolution'];

let packed: PackedSdk;
beforeAll(async () => {
  packed = await packedSdk();
  await installHosts();
}, INSTALL_MAX_MS);

describe.each(SDK_PACKAGES)('the package $name', ({ name, format }) => {
  it('gives publint nothing to report', async () => {
    const messages = await judge(
      `import { publint } from 'publint';
       const { messages } = await publint({ pkgDir: ${JSON.stringify(join(packed.nodeModules, name))}, pack: false, strict: true });
       console.log(JSON.stringify(messages));`,
    );
    expect(messages).toEqual([]);
  });

  it('has types that fit the code, however they are imported', async () => {
    const problems = await judge(
      `import { readFileSync } from 'node:fs';
       import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
       const tarball = readFileSync(${JSON.stringify(packed.tarballs.get(name))});
       const options = { excludeEntrypoints: ['./script', './package.json'] };
       const { problems } = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)), options);
       const isOfModules = ${JSON.stringify(format === 'esm')};
       const known = ${JSON.stringify(MODULES_ONLY)};
       // Importers that know no exports map are older than the versions of Node that are supported.
       console.log(JSON.stringify(problems.filter(({ kind, resolutionKind }) =>
         resolutionKind !== 'node10' && !(isOfModules && known.includes(kind)))));`,
    );
    expect(problems).toEqual([]);
  });
});

describe('the types of a published entry', () => {
  it('name nothing outside the package and the libraries of TypeScript', async () => {
    const host = await hostFolder();
    try {
      const ofNode = ['@culprit/core', ...entriesOf('@culprit/node')];
      compile(host, 'modules.mts', ofNode, { lib: ['es2022'], module: 'nodenext' });
      compile(host, 'commonjs.cts', ofNode, { lib: ['es2022'], module: 'nodenext' });
      const ofBrowser = entriesOf('@culprit/browser').filter((entry) => !entry.endsWith('/script'));
      compile(host, 'browser.mts', ofBrowser, { lib: ['es2022', 'dom'], module: 'nodenext' });
    } finally {
      await host.remove();
    }
  });
});

describe.each(NODE_VERSIONS)('Node %s', (version) => {
  it('loads every entry for servers as a module and as CommonJS, and both are one instance', async () => {
    const node = await nodeProgram(version);
    expect(node).not.toBeNull();
    const host = await hostFolder();
    try {
      const entries = ['@culprit/core', ...entriesOf('@culprit/node')].filter(
        (entry) => !entry.endsWith('/register'),
      );
      const file = host.write(
        'load.mjs',
        `import { createRequire } from 'node:module';
         const require = createRequire(import.meta.url);
         for (const entry of ${JSON.stringify(entries)}) {
           const [loaded, required] = [await import(entry), require(entry)];
           const names = Object.keys(required).filter((name) => name !== 'default').sort();
           const own = Object.keys(loaded).filter((name) => name !== 'default' && name !== 'module.exports').sort();
           if (names.join() !== own.join()) throw new Error(entry + ': ' + own + ' is not ' + names);
           if (entry.startsWith('@culprit/node') && names.some((name) => loaded[name] !== required[name]))
             throw new Error(entry + ' is there twice');
         }`,
      );
      const { stdout, stderr } = await promisify(execFile)(node ?? '', [file], { cwd: host.path });
      expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
    } finally {
      await host.remove();
    }
  });
});

function entriesOf(name: string): string[] {
  const built = SDK_PACKAGES.find((candidate) => candidate.name === name);
  return (built?.entries ?? []).map((entry) => (entry === 'index' ? name : `${name}/${entry}`));
}

/** Runs a script beside the tools, and reads the list that it writes. */
async function judge(script: string): Promise<unknown> {
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: join(ROOT, 'packages/sdk-test-hosts'),
    maxBuffer: 16 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

function compile(host: HostFolder, file: string, entries: readonly string[], options: object): void {
  const lines = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
  const uses = entries.map((_entry, index) => `entry${index}`);
  host.write(file, `${lines.join('\n')}\nexport const all = [${uses.join(', ')}];\n`);
  host.write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        ...{ ...options, strict: true, types: [], skipLibCheck: false, noEmit: true, target: 'es2022' },
        exactOptionalPropertyTypes: true,
      },
      files: [file],
    }),
  );
  const { stdout } = spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')], {
    cwd: host.path,
    encoding: 'utf8',
  });
  expect(stdout, file).toBe('');
}
