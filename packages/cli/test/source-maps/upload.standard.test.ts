import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { sendEvents } from '../../../server/test/support/send-events.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { builtFolder, wordMap } from './built.ts';
import { serveFolder } from './static-site.ts';

/** docs/contract/source-maps.md 7.2 and 7.3, and items 36, 37 and 41 of its checklist. */

let culprit: TestCulprit;
let signedIn: SignedIn;
beforeAll(async () => {
  culprit = await shareCulprit();
  signedIn = await signIn(culprit);
}, 180_000);
afterAll(() => signedIn.home.remove());

const CODE = 'function computeTotal(cart) { return cart.items.length; }\nglobalThis.total = computeTotal;\n';

/** A script that differs from every other, with the map of its words. */
function files(name: string, more: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const script = `${CODE}globalThis.${name} = 1;\n`;
  return {
    [`dist/${name}.js`]: `${script}//# sourceMappingURL=${name}.js.map\n`,
    [`dist/${name}.js.map`]: JSON.stringify(wordMap(script, { sources: [`src/${name}.ts`], ...more })),
  };
}

interface Report {
  code: number | NodeJS.Signals;
  err: string;
  body: {
    uploads: string[];
    files: {
      path: string;
      debug_id: string;
      verdict: string;
      problem: string | null;
      words: string;
      probe: { file: string; line: number };
    }[];
    skipped: { path: string; why: string }[];
    injected: number;
    deleted: string[];
  };
}

async function sourcemaps(folder: string, ...args: string[]): Promise<Report> {
  const { code, out, err } = await signedIn.home.run(['sourcemaps', ...args, '--json'], {
    directory: folder,
  });
  return { code, err, body: out === '' ? undefined : JSON.parse(out) };
}

/** The program runs below its home. */
function folderOf(built: Readonly<Record<string, string>>): { path: string; name: string } {
  const name = `build-${crypto.randomUUID()}`;
  for (const [path, text] of Object.entries(built)) signedIn.home.write(join(name, path), text);
  return { name, path: join(signedIn.home.path, name) };
}

describe('culprit sourcemaps upload', { timeout: 120_000 }, () => {
  it('injects, uploads and proves each file by a place, and the second time nothing is sent', async () => {
    const { name, path } = folderOf({ ...files('cart'), ...files('order'), 'dist/plain.js': CODE });
    const first = await sourcemaps(name, 'upload', 'dist');
    expect(first).toMatchObject({
      code: 0,
      body: { injected: 2, deleted: [], skipped: [{ path: 'plain.js' }] },
    });
    expect(first.body.files).toMatchObject([
      { path: 'cart.js', verdict: 'ready', probe: { file: 'src/cart.ts' } },
      { path: 'order.js', verdict: 'ready', probe: { file: 'src/order.ts' } },
    ]);
    expect(readFileSync(join(path, 'dist/cart.js'), 'utf8')).toContain(
      `//# debugId=${first.body.files[0]?.debug_id}`,
    );
    const second = await sourcemaps(name, 'upload', 'dist');
    expect(second.code).toBe(0);
    expect(second.body.files.map(({ verdict }) => verdict)).toEqual(['unchanged', 'unchanged']);
    expect(second.body.injected).toBe(0);
  });

  it('deletes the maps that are kept and no other, and ends with 7 when some are refused', async () => {
    const { name, path } = folderOf({
      ...files('good'),
      ...files('other', { mappings: 'CAAA,EAAA,EAAA,EAAA,EAAA,EAAA,EAAA,EAAA,EAAA' }),
      'dist/lost.js': `${CODE}//# sourceMappingURL=lost.js.map\n`,
    });
    const { code, body } = await sourcemaps(name, 'upload', 'dist', '--delete-maps');
    expect(code).toBe(7);
    const verdicts = Object.fromEntries(body.files.map((file) => [file.path, file.problem ?? file.verdict]));
    expect(verdicts).toEqual({
      'good.js': 'ready',
      'other.js': 'map_not_of_file',
      'lost.js': 'map_not_found',
    });
    expect(body.deleted.map((file) => file.slice(path.length))).toEqual(['/dist/good.js.map']);
    expect(existsSync(join(path, 'dist/good.js.map'))).toBe(false);
    expect(existsSync(join(path, 'dist/other.js.map'))).toBe(true);
    expect(readFileSync(join(path, 'dist/good.js'), 'utf8')).not.toContain('sourceMappingURL');
    const again = await sourcemaps(name, 'check', 'dist');
    expect(JSON.stringify(again.body)).toContain('uploaded on');
  });

  it('takes a build whose files are compressed alone, of a page and of its server with one path', async () => {
    const { name, path } = folderOf({});
    const page = files('page');
    for (const [file, text] of Object.entries(page)) {
      const at = join(path, file.replace('dist/page', 'client/index'));
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(`${at}.gz`, gzipSync(text.replace('page.js.map', 'index.js.map')));
    }
    for (const [file, text] of Object.entries(files('server'))) {
      const at = join(path, file.replace('dist/server', 'server/index'));
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, text.replace('server.js.map', 'index.js.map'));
    }
    const { code, body } = await sourcemaps(name, 'upload', 'client', 'server', '--delete-maps');
    expect(code).toBe(0);
    expect(body.files).toMatchObject([
      { path: 'client/index.js', verdict: 'ready', probe: { file: 'src/page.ts' } },
      { path: 'server/index.js', verdict: 'ready', probe: { file: 'src/server.ts' } },
    ]);
    expect(readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()).toEqual([
      'client',
      'client/index.js.gz',
      'server',
      'server/index.js',
    ]);
    const text = gunzipSync(readFileSync(join(path, 'client/index.js.gz'))).toString('utf8');
    expect(text).toContain(`//# debugId=${body.files[0]?.debug_id}`);
    expect(text).not.toContain('sourceMappingURL');
    const checked = await sourcemaps(name, 'check', 'client', 'server');
    expect(JSON.stringify(checked.body)).toContain('uploaded on');
  });

  it('ends with 8 where nothing can be used, and says what to ask', async () => {
    const { name } = folderOf({ 'dist/plain.js': CODE });
    const { code, err } = await signedIn.home.run(['sourcemaps', 'upload', 'dist'], { directory: name });
    expect({ code, err }).toMatchObject({
      code: 8,
      err: expect.stringContaining('Was the build run with source maps?'),
    });
    expect((await sourcemaps(name, 'upload', 'nowhere')).code).toBe(2);
  });

  it('reads texts that a map lacks below the root alone, also where a link leads out of it', async () => {
    const outside = builtFolder({ 'secret.ts': 'const secret = 1;\n' });
    const lacking = { sourcesContent: undefined, sources: ['../src/text.ts'] };
    const { name, path } = folderOf({
      ...files('text', lacking),
      'src/text.ts': `${CODE}globalThis.text = 1;\n`,
    });
    const inside = await sourcemaps(name, 'upload', 'dist');
    expect(inside.body.files).toMatchObject([
      { verdict: 'ready', probe: { text: expect.stringContaining('computeTotal') } },
    ]);
    for (const source of ['../src/link.ts', join(outside, 'secret.ts'), '/etc/hostname']) {
      const drawn = folderOf(files('drawn', { sourcesContent: undefined, sources: [source] }));
      writeFileSync(join(drawn.path, 'other.txt'), '');
      if (source.includes('link')) {
        signedIn.home.write(join(drawn.name, 'src/x'), '');
        symlinkSync(join(outside, 'secret.ts'), join(drawn.path, 'src/link.ts'));
      }
      const sent = await sourcemaps(drawn.name, 'upload', 'dist', '--source-root', '.');
      expect(sent.body.files[0], source).toMatchObject({ verdict: 'ready', probe: { text: null } });
    }
    expect(path).toContain(name);
  });

  it('refuses two files with one id, and files without an id or a release', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const { name } = folderOf({ ...files('one', { debugId: id }), ...files('two', { debugId: id }) });
    const { code, body } = await sourcemaps(name, 'upload', 'dist');
    expect([code, ...body.files.map(({ problem, verdict }) => problem ?? verdict).sort()]).toEqual([
      7,
      'debug_id_twice',
      'ready',
    ]);
    const bare = folderOf(files('bare'));
    const refused = await sourcemaps(bare.name, 'upload', 'dist', '--no-inject');
    expect([refused.code, refused.body.files[0]?.problem]).toEqual([8, 'no_debug_id']);
    const named = await sourcemaps(bare.name, 'upload', 'dist', '--no-inject', '--release', 'shop@7');
    expect([named.code, named.body.files[0]?.verdict]).toEqual([0, 'ready']);
    const list = await sourcemaps('', 'list', '--release', 'shop@7');
    expect(list.body).toMatchObject({ source_maps: [{ path: 'bare.js', releases: ['shop@7'] }] });
  });

  it('works with a token of a build, which cannot read an incident', async () => {
    const made = await signedIn.home.run([
      'tokens',
      'create',
      '--member',
      '--access',
      'build',
      '--label',
      'ci',
      '--quiet',
    ]);
    const environment = {
      CULPRIT_URL: culprit.url,
      CULPRIT_TOKEN: made.out.trim(),
      CULPRIT_PROJECT: signedIn.project.projectId,
    };
    const { name } = folderOf(files('ci'));
    const { code, out } = await signedIn.home.run(['sourcemaps', 'upload', 'dist'], {
      directory: name,
      environment,
    });
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^ready +ci\.js +[0-9a-f]{8} +→ src\/ci\.ts:\d+:\d+ computeTotal|^ready +ci\.js/,
      ),
    });
    expect((await signedIn.home.run(['incidents', 'list'], { environment })).code).toBe(5);
    expect(
      (await signedIn.home.run(['sourcemaps', 'delete', crypto.randomUUID(), '--yes'], { environment })).code,
    ).not.toBe(0);
  });
});

describe('culprit sourcemaps check and its records', { timeout: 120_000 }, () => {
  it('finds what a build lacks, and compares deployed scripts and frames with what was uploaded', async () => {
    const { name, path } = folderOf(files('shop'));
    const before = await sourcemaps(name, 'check', 'dist');
    expect([before.code, JSON.stringify(before.body)]).toEqual([
      8,
      expect.stringContaining('it has no debug id'),
    ]);
    const { body } = await sourcemaps(name, 'upload', 'dist', '--release', 'shop@8');
    const id = body.files[0]?.debug_id ?? '';
    expect((await sourcemaps(name, 'check', 'dist')).code).toBe(0);

    const site = await serveFolder(join(path, 'dist'), 'shop.js', false);
    const address = `${site.origin}/shop.js`;
    expect((await sourcemaps(name, 'check', address)).code).toBe(0);
    const script = readFileSync(join(path, 'dist/shop.js'), 'utf8');
    writeFileSync(join(path, 'dist/shop.js'), script.replace(/\/\/# sourceMappingURL.*\n/, ''));
    expect((await sourcemaps(name, 'check', address)).code).toBe(0);
    writeFileSync(join(path, 'dist/shop.js'), script.replace('length', 'size'));
    const changed = await sourcemaps(name, 'check', address);
    expect([changed.code, JSON.stringify(changed.body)]).toEqual([
      8,
      expect.stringContaining('another version'),
    ]);
    for (const [deployed, words] of [
      [CODE, 'it has no debug id and is not one of the 1 uploaded files of its name'],
      [`${CODE}//# debugId=${crypto.randomUUID()}\n`, 'nothing was uploaded for its debug id'],
    ] as const) {
      writeFileSync(join(path, 'dist/shop.js'), deployed);
      const unknown = await sourcemaps(name, 'check', address);
      expect([unknown.code, JSON.stringify(unknown.body)]).toEqual([8, expect.stringContaining(words)]);
    }
    site.close();

    const frame = ['check', '--frame', `at f (${address}:2:38)`];
    expect(await sourcemaps(name, ...frame, '--debug-id', id)).toMatchObject({
      code: 0,
      body: { mapped: { file: 'src/shop.ts', line: 1 } },
    });
    expect(await sourcemaps(name, ...frame, '--release', 'shop@8')).toMatchObject({ code: 0 });
    expect(await sourcemaps(name, ...frame)).toMatchObject({
      code: 8,
      body: { reason: 'no_debug_id_no_release' },
    });

    const [record] = Object(await signedIn.home.json(['sourcemaps', 'list', '--debug-id', id])).source_maps;
    expect(await signedIn.home.json(['sourcemaps', 'show', record.source_map_id])).toMatchObject({
      sources: [{ file: 'src/shop.ts' }],
    });
    expect(await signedIn.home.json(['sourcemaps', 'uploads'])).toMatchObject({
      uploads: expect.arrayContaining([expect.objectContaining({ release: 'shop@8' })]),
    });
    expect(await signedIn.home.json(['sourcemaps', 'delete', record.source_map_id, '--yes'])).toMatchObject({
      source_map: { state: 'removed' },
    });
  });

  it('lists what applications have no map for', async () => {
    const id = '99999999-2222-4333-8444-555555555555';
    const file = 'https://shop.example.com/assets/missing.js';
    await sendEvents(culprit.url, signedIn.project.projectToken, [
      {
        event_id: `e-${crypto.randomUUID()}`,
        event_type: 'frontend_exception',
        timestamp: new Date().toISOString(),
        service: { name: 'page', environment: 'production' },
        sdk: { name: '@culprit/browser', version: '0.1.0' },
        payload: {
          name: 'TypeError',
          message: 'x is null',
          stack: `TypeError: x is null\n    at f (${file}:1:20)`,
          handled: false,
          debug_ids: { [file]: id },
        },
      },
    ]);
    await culprit.drain();
    const { body } = await sourcemaps('', 'missing');
    expect(body).toMatchObject({
      missing: expect.arrayContaining([
        expect.objectContaining({ debug_id: id, reason: 'no_map_for_debug_id', events: 1 }),
      ]),
    });
    const check = await signedIn.home.run(['sourcemaps', 'check', '@latest']);
    expect(check).toMatchObject({ code: 8, out: expect.stringContaining(id) });
  });
});
