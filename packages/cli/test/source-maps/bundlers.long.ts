import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { inject } from './built.ts';
import { BUNDLERS, type BuiltApplication, buildApplication, PLACES, SOURCES } from './bundled-application.ts';
import { serveFolder } from './static-site.ts';

/** docs/contract/source-maps.md 7.1 and item 35: what bundlers build, injected and run in Chromium. */
describe('an application that is injected after its build', { timeout: 300_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 180_000);
  afterAll(() => browser?.close());

  it.each(Object.keys(BUNDLERS))(
    '%s: fails at the same places, one line further down, and every file has its id',
    async (name) => {
      const bundler = BUNDLERS[name];
      if (bundler === undefined) throw new Error(name);
      const built = await buildApplication(bundler);
      try {
        const output = join(built.folder, built.output);
        const before = await failures(browser, built);
        const { pairs, refused } = inject(output);
        expect(refused).toEqual([]);
        expect(pairs.length).toBeGreaterThan(0);
        const ids = new Map(pairs.map(({ path, id }) => [path, id]));
        const after = await failures(browser, built);
        expect(after.frames).toHaveLength(before.frames.length);
        for (const [at, frame] of after.frames.entries()) {
          const { path, line, column } = before.frames[at] ?? frame;
          expect(frame).toEqual({ path, line: line + (ids.has(path) ? 1 : 0), column });
        }
        for (const path of new Set(after.frames.map((frame) => frame.path))) {
          expect(after.ids[path], path).toBe(ids.get(path));
        }
        const [own, caller] = after.frames.map((frame) => originalOf(output, frame));
        expect([own, caller]).toEqual(
          PLACES.map(({ file, text }) =>
            expect.objectContaining({
              file: expect.stringContaining(file.slice('src/'.length, -2)),
              text: expect.stringContaining(textOfBundler(built, text)),
            }),
          ),
        );
        expect(inject(output).pairs.filter(({ isChanged }) => isChanged)).toEqual([]);
      } finally {
        built.remove();
      }
    },
  );
});

interface Frame {
  path: string;
  line: number;
  column: number;
}

/** The frames of both failures in scripts of the application, and what registered ids, by file. */
async function failures(
  browser: Browser,
  { folder, output, entry, isModule }: BuiltApplication,
): Promise<{ frames: Frame[]; ids: Record<string, string> }> {
  const site = await serveFolder(join(folder, output), entry, isModule);
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  try {
    await page.goto(site.origin);
    await page.waitForFunction('globalThis.failLater !== undefined');
    const stacks: string = await page.evaluate(`(async () => {
      const stacks = [];
      try { failNow() } catch (error) { stacks.push(error.stack) }
      await failLater().catch((error) => stacks.push(error.stack));
      return stacks.join('\\n');
    })()`);
    const registered: Record<string, string> = await page.evaluate(
      'Object.fromEntries(Object.entries(globalThis._debugIds ?? {}))',
    );
    expect(faults).toEqual([]);
    const pathOf = (text: string) =>
      text
        .split(site.origin)[1]
        ?.slice(1)
        .replace(/:\d+:\d+\)?(?:\n[\s\S]*)?$/, '') ?? '';
    return {
      frames: [...stacks.matchAll(/(http:\/\/127[^\s()]+):(\d+):(\d+)/g)].map(
        ([, file = '', line, column]) => ({
          path: file.slice(site.origin.length + 1),
          line: Number(line),
          column: Number(column),
        }),
      ),
      ids: Object.fromEntries(Object.entries(registered).map(([stack, id]) => [pathOf(stack), id])),
    };
  } finally {
    await page.close();
    site.close();
  }
}

/** The original file and line of a place, by the map beside the script or inside of it. */
function originalOf(output: string, { path, line, column }: Frame): { file: string; text: string } {
  const script = readFileSync(join(output, path), 'utf8');
  const inline = /sourceMappingURL=data:[^,]+,(\S+)/.exec(script)?.[1];
  const map = JSON.parse(
    inline === undefined
      ? readFileSync(join(output, `${path}.map`), 'utf8')
      : Buffer.from(inline, 'base64').toString(),
  );
  const entry = new SourceMap(map).findEntry(line - 1, column - 1);
  if (!('originalSource' in entry)) return { file: '', text: '' };
  const at = map.sources.indexOf(entry.originalSource);
  const text: string =
    map.sourcesContent?.[at] ?? SOURCES[entry.originalSource.replace(/^.*\bsrc\//, 'src/')] ?? '';
  return { file: entry.originalSource, text: text.split('\n')[entry.originalLine] ?? '' };
}

/** Rollup and webpack are given what esbuild wrote, whose quotes are others. */
function textOfBundler({ folder }: BuiltApplication, text: string): string {
  const isTranslated = ['rollup.config.mjs', 'build.cjs'].some((file) => {
    try {
      return readFileSync(join(folder, file)).length > 0;
    } catch {
      return false;
    }
  });
  return isTranslated ? (/priceOf\(item\)|"?no price for /.exec(text)?.[0] ?? text) : text;
}
