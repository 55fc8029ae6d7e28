import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

let packed: PackedSdk;
beforeAll(async () => {
  packed = await packedSdk();
  await installHosts();
}, INSTALL_MAX_MS);

describe.each(SDK_PACKAGES)('the package $name', ({ name, entries, old }) => {
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
       console.log(JSON.stringify(problems));`,
    );
    expect(problems).toEqual([]);
  });

  it('is found by tools that know no exports map, in the syntax that such tools read', async () => {
    const folder = join(packed.nodeModules, name);
    for (const entry of entries) {
      const at = entry === 'index' ? folder : join(folder, entry);
      const { main, module, types } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
      expect(existsSync(join(at, types))).toBe(true);
      if (entry !== 'register') expect(Object.keys(createRequire(at)(join(at, main)))).not.toEqual([]);
      if (old === undefined) continue;
      for (const path of [main, module]) {
        const code = readFileSync(join(at, path), 'utf8');
        // What webpack 4 cannot read, and compilers of applications leave as it is in packages.
        expect(code).not.toMatch(/\?\.[a-z[(]|\?\?|catch \{/i);
      }
    }
  });
});

describe('tests in Jest, with jsdom and without', () => {
  it.each([[], ['--conditions', 'browser']])('require every entry %j', async (...conditions) => {
    const host = await hostFolder();
    try {
      const entries = SDK_PACKAGES.flatMap(({ name }) => entriesOf(name)).filter(
        (entry) => !entry.endsWith('/register'),
      );
      const file = host.write(
        'load.cjs',
        `for (const entry of ${JSON.stringify(entries)}) if (Object.keys(require(entry)).length === 0) throw new Error(entry);`,
      );
      const args = [...conditions, file];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: host.path });
      expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
    } finally {
      await host.remove();
    }
  });

  it('get what is of Node where both are wanted, and of the edge only without Node', async () => {
    const host = await hostFolder();
    try {
      const file = host.write('load.mjs', `console.log(import.meta.resolve('@culprit/node'));`);
      const args = ['--conditions', 'browser', '--conditions', 'node', file];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: host.path });
      expect(stdout).toMatch(/node\/dist\/index\.js$/m);
    } finally {
      await host.remove();
    }
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
      compile(host, 'browser.cts', ofBrowser, { lib: ['es2022', 'dom'], module: 'nodenext' });
      const node10 = { lib: ['es2022', 'dom'], module: 'commonjs', moduleResolution: 'node10' };
      compile(
        host,
        'older.ts',
        [...ofNode, ...ofBrowser],
        node10,
        'packages/sdk-test-hosts/node_modules/typescript-5',
      );
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

function compile(
  host: HostFolder,
  file: string,
  entries: readonly string[],
  options: object,
  compiler = 'node_modules/typescript',
): void {
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
  const { stdout } = spawnSync(process.execPath, [join(ROOT, compiler, 'bin/tsc')], {
    cwd: host.path,
    encoding: 'utf8',
  });
  expect(stdout, file).toBe('');
}
