import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INTERNAL_NAMES, shortNamesOf } from '../../../scripts/sdk/internal-names.ts';
import { ROOT } from '../../../scripts/sdk/sdk-packages.ts';

/** The names that the build of the browser library shortens are seen by nobody else. */

const names = INTERNAL_NAMES.split(' ');
const shortNames = Object.values(shortNamesOf(INTERNAL_NAMES));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('a name that the build shortens', () => {
  it('is in use', () => {
    const sources = globSync('packages/{sdk-core,sdk-browser}/src/**/*.ts', { cwd: ROOT })
      .map(read)
      .join('\n');
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('is no member of an option, an event, an answer, a rule or a diagnostic', () => {
    const exposed = [
      'packages/sdk-core/src/options.ts',
      'packages/sdk-core/src/wire.ts',
      'packages/sdk-core/src/diagnostics.ts',
      'packages/sdk-browser/src/options.ts',
    ].map(read);
    const members = membersIn(exposed.join('\n'));
    expect(members.filter((name) => names.includes(name) || shortNames.includes(name))).toEqual([]);
  });

  it('is no member of anything that a browser or the language has', () => {
    const libraries = globSync('node_modules/@typescript/*/lib/lib.*.d.ts', { cwd: ROOT });
    expect(libraries.length).toBeGreaterThan(20);
    const members = new Set(membersIn(libraries.map(read).join('\n')));
    expect(members.has('sendBeacon')).toBe(true);
    expect(names.filter((name) => members.has(name))).toEqual([]);
    // One letter is short for parameters and coordinates there, which the library reads nothing of.
    expect(shortNames.filter((name) => name.length > 1 && members.has(name))).toEqual([]);
  });

  it('gets a name of its own, that no source uses for a member already', () => {
    expect(new Set(shortNames).size).toBe(names.length);
    const sources = globSync('packages/{sdk-core,sdk-browser}/src/**/*.ts', { cwd: ROOT })
      .map(read)
      .join('\n');
    const code = sources.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    expect(shortNames.filter((name) => new RegExp(`[\\w)\\]]\\??\\.${name}\\b`).test(code))).toEqual([]);
  });
});

/** Names in front of a colon, a parenthesis or a type parameter. */
function membersIn(declarations: string): string[] {
  return declarations.match(/\b[a-z][A-Za-z\d]*(?=\??\s*[:(<])/g) ?? [];
}
