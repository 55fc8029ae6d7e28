import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { DASHBOARD_DIRECTORY, ensureDashboard } from './support/dashboard.ts';

/** docs/contract/dashboard.md 2.5 and item 4, from the build; what the first screens load is in `screens/`. */

const KIB = 1024;
const ASSETS = join(DASHBOARD_DIRECTORY, 'assets');

describe('the build', { timeout: 120_000 }, () => {
  let names: string[];
  beforeAll(async () => {
    await ensureDashboard();
    names = readdirSync(ASSETS);
  }, 120_000);

  const zipped = (name: string) => gzipSync(readFileSync(join(ASSETS, name)), { level: 9 }).length;
  const ending = (end: string) => names.filter((name) => name.endsWith(end));

  it('has no piece besides the libraries and the frame that weighs more than 25 KB', () => {
    const heavy = ending('.js')
      .filter((name) => zipped(name) > 25 * KIB)
      .toSorted();
    expect(heavy).toEqual([expect.stringMatching(/^frame-/), expect.stringMatching(/^libraries-/)]);
    expect(zipped(heavy[0] ?? '')).toBeLessThanOrEqual(28 * KIB);
    expect(zipped(heavy[1] ?? '')).toBeLessThanOrEqual(105 * KIB);
  });

  it('has at most 26 KB of style in all', () => {
    const styles = ending('.css').map(zipped);
    expect(styles.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(26 * KIB);
  });

  it('brings no schema of the contract to the browser', () => {
    const scripts = ending('.js').map((name) => readFileSync(join(ASSETS, name), 'utf8'));
    expect(scripts.length).toBeGreaterThan(20);
    for (const mark of ['additionalProperties', '~kind', 'patternProperties', 'typebox']) {
      expect(scripts.filter((code) => code.includes(mark))).toEqual([]);
    }
  });
});
