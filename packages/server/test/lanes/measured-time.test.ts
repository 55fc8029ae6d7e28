import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectationsOfTime } from './measured-time.ts';
import { importsOf, ROOT, readTestFiles } from './test-files.ts';

/** A clock is what these are about. */
const OF_CLOCKS = [
  // How long a wrong secret takes must not tell how much of it is right; several attempts, in the long lane alone.
  'packages/server/test/security/secret-comparisons.long.ts',
];

describe('the verdict of a test', () => {
  it('depends in no lane on how long something took', { timeout: 60_000 }, () => {
    const paths = new Set(readTestFiles().flatMap(({ path }) => [path, ...importsOf(path)]));
    expect(paths.size).toBeGreaterThan(500);
    const found = [...paths]
      .filter((path) => !OF_CLOCKS.includes(path))
      .map((path) => ({ path, source: readFileSync(join(ROOT, path), 'utf8') }))
      .filter(({ source }) => /\b(?:now|hrtime|\w+Usage)\b/.test(source))
      .flatMap(({ path, source }) => expectationsOfTime(source).map((text) => `${path}: ${text}`));
    expect(found).toEqual([]);
  });

  it.each([
    'const a = performance.now(); work(); expect(performance.now() - a).toBeLessThan(5);',
    'const a = performance.now(); const took = Math.round(performance.now() - a); expect(took).toBe(1);',
    'const all = []; const a = Date.now(); all.push(Date.now() - a); expect(Math.max(...all)).toBeLessThan(9);',
    'async function f() { const a = performance.now(); return performance.now() - a; } expect(await f()).toBe(1);',
    'const a = performance.now(); const r = { ms: performance.now() - a }; expect(r.ms).toBe(1);',
    'const before = process.hrtime.bigint(); expect(process.hrtime.bigint() - before).toBeLessThan(1n);',
    'const b = process.cpuUsage().user; const c = process.cpuUsage().user - b; expect(c).toBeLessThan(1);',
    'expect(Math.abs(Date.parse(x.at) - Date.now())).toBeLessThan(10_000);',
  ])('is found where it does: %s', (source) => {
    expect(expectationsOfTime(source)).toHaveLength(1);
  });

  it.each([
    'const end = performance.now() + 5; while (performance.now() < end) await turn(); expect(done).toBe(true);',
    'const at = new Date(Date.now() - 60_000); expect(read(at)).toBe(1);',
    'const nowMs = Date.now(); expect(await deleteOld(nowMs - HOUR)).toBe(1);',
    'const a = Date.now(); work(); expect(time).toBeGreaterThanOrEqual(a); expect(time).toBeLessThanOrEqual(Date.now());',
    'const a = performance.now(); recordFigure(1, performance.now() - a); expect(b).toBe(1);',
  ])('is not thought to where it does not: %s', (source) => {
    expect(expectationsOfTime(source)).toEqual([]);
  });
});
