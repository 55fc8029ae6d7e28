import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeForm } from '@culprit/source-maps/make-form';
import { describe, expect, it } from 'vitest';
import { BUNDLERS, type Bundler, buildApplication } from './bundled-application.ts';

/** docs/contract/source-maps.md 3.4 and item 7: what the four bundlers build, each file with its map and with another's. */

const OTHER_VERSION = 'const rates = [1, 2, 3].map((rate) => rate * 7);\nconsole.debug(rates);\n';

interface Built {
  code: Buffer;
  map: Buffer;
}

async function built(bundler: Bundler, first: string): Promise<Built> {
  const { folder, output, entry, remove } = await buildApplication(bundler, first);
  try {
    const script = join(folder, output, entry);
    return { code: readFileSync(script), map: readFileSync(`${script}.map`) };
  } finally {
    remove();
  }
}

async function judged(generated: Buffer, map: Buffer): Promise<string> {
  const made = await makeForm({ path: 'main.js', debugId: null, generated, map });
  return made.kind === 'made' ? made.kind : made.problem;
}

describe('the map of another build', { timeout: 300_000 }, () => {
  it.each(['Vite', 'webpack', 'Rollup', 'esbuild, one script, no comment'])(
    '%s: is refused, and the right one is taken',
    async (name) => {
      const bundler = BUNDLERS[name];
      if (bundler === undefined) throw new Error(name);
      const one = await built(bundler, '');
      const other = await built(bundler, OTHER_VERSION);
      expect(await judged(one.code, one.map)).toBe('made');
      expect(await judged(other.code, other.map)).toBe('made');
      expect(await judged(one.code, other.map)).toBe('map_not_of_file');
      expect(await judged(other.code, one.map)).toBe('map_not_of_file');
    },
  );
});
