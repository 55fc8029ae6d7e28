import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { SDK_PACKAGES } from '../../../scripts/sdk/sdk-packages.ts';
import { measureSizes } from '../../../scripts/sdk/sizes.ts';
import { type PackedSdk, packedSdk } from '../../sdk-test-hosts/packed-sdk.ts';

/** The client libraries as they are published (docs/contract/clients.md 1). */

let packed: PackedSdk;
beforeAll(async () => {
  packed = await packedSdk();
}, 120_000);

describe.each(SDK_PACKAGES)('the package $name', ({ name, entries, script }) => {
  const read = (path: string) => readFileSync(join(packed.nodeModules, name, path), 'utf8');
  const manifest = () => JSON.parse(read('package.json'));

  it('has no run-time dependency, and says license, version and supported Node', () => {
    const { dependencies, peerDependencies, license, version, engines } = manifest();
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
    expect({ license, engines }).toEqual({ license: 'Apache-2.0', engines: { node: '>=20' } });
    const root = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));
    expect(version).toBe(root.version);
    expect(read('LICENSE')).toContain('Apache License');
  });

  it('exports every entry, and each target of its exports is there', () => {
    const { exports } = manifest();
    const subpaths = [...entries, ...(script === undefined ? [] : [script.entry])].map((entry) =>
      entry === 'index' ? '.' : `./${entry}`,
    );
    expect(isDeepStrictEqual(new Set(Object.keys(exports)), new Set([...subpaths, './package.json']))).toBe(
      true,
    );
    const missing = targetsOf(exports).filter((path) => !existsSync(join(packed.nodeModules, name, path)));
    expect(missing).toEqual([]);
  });
});

describe('a bundle for browsers', () => {
  it('stays within its limit', async () => {
    const sizes = await measureSizes(join(packed.nodeModules, '@culprit/browser/dist'));
    expect(sizes).toHaveLength(5);
    expect(sizes.filter(({ bytes, limitBytes }) => bytes > limitBytes)).toEqual([]);
  });
});

describe('the packages together', () => {
  it('are one tarball each', () => {
    expect([...packed.tarballs.keys()]).toEqual(SDK_PACKAGES.map(({ name }) => name));
    for (const path of packed.tarballs.values()) expect(statSync(path).size).toBeGreaterThan(0);
  });
});

function targetsOf(exports: unknown): string[] {
  if (typeof exports === 'string') return [exports];
  if (typeof exports !== 'object' || exports === null) return [];
  return Object.values(exports).flatMap(targetsOf);
}
