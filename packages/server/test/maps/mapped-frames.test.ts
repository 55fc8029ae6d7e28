import { existsSync, readdirSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { createClient } from '@culprit/contract/endpoints/client';
import * as maps from '@culprit/contract/releases/source-maps';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeMappings } from '../../../source-maps/test/write-mappings.ts';
import { parseId } from '../../src/platform/ids.ts';
import { buildShop } from '../support/built-shop.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { expectOk } from '../support/expect-ok.ts';
import { connect } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/source-maps.md 3.4 and 4.5, items 1, 3 and 12 of its checklist: what is proven, and names without texts. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

const SITE = 'https://shop.example';

it('each of two files is proven by a place as another reader of maps has it; sent again they make no object', async () => {
  const { project } = await connect(culprit);
  const params = { id: project.projectId };
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
  const built = [await buildShop('one'), { ...(await buildShop('two')), path: 'assets/two.js' }];
  const { files } = await uploadMaps(culprit, project, built);
  expect(files.map(({ verdict }) => verdict)).toEqual(['ready', 'ready']);
  for (const [index, { probe, debug_id: debugId }] of files.entries()) {
    const { map = '', code = '', path = '' } = built[index] ?? {};
    if (probe === null) throw new Error('there is no probe');
    const { generated_line: line, generated_column: column, ...original } = probe;
    const read = JSON.parse(map);
    const entry = new SourceMap(read).findEntry(line - 1, column - 1);
    if (!('originalSource' in entry)) throw new Error('the place is not mapped');
    const text: string = read.sourcesContent[read.sources.indexOf(entry.originalSource)];
    expect(`${entry.originalSource}`).toMatch(/src\/cart\.ts$/);
    expect(original).toEqual({
      file: 'src/cart.ts',
      line: entry.originalLine + 1,
      column: entry.originalColumn + 1,
      function: expect.stringMatching(/^(?:Cart\.total|checkout|refund)/),
      text: expect.any(String),
    });
    expect(text.split('\n')[entry.originalLine]).toContain(original.text);
    // The proof is at a word of the file.
    expect(code.split('\n')[line - 1]?.slice(column - 1)).toMatch(/^[\w$]/);
    const explained = expectOk(
      await api.call(maps.explainFrame, { params, body: { file: path, debug_id: debugId, line, column } }),
    );
    const { text: shown, ...place } = original;
    expect(explained.mapped).toMatchObject({
      ...place,
      source: { text: expect.stringContaining(shown ?? '?') },
    });
  }

  const objects = () =>
    ['maps', 'map-parts'].flatMap((kind) => {
      const folder = join(culprit.objectDirectory, kind, parseId(['proj'], project.projectId) ?? '');
      if (!existsSync(folder)) return [];
      return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'));
    });
  const before = objects();
  const again = await uploadMaps(culprit, project, built, 'shop@2');
  expect(again.counts).toMatchObject({ unchanged: 2, ready: 0 });
  expect(again.files.map(({ probe }) => probe)).toEqual(files.map(({ probe }) => probe));
  expect(objects()).toEqual(before);
});

/** `a` is thrown in, and `b` calls it by a name that the map knows. */
const CODE = 'function a(){throw 1}\nfunction b(){a()}\n';
const lost = (texts: readonly string[] | null): string =>
  JSON.stringify({
    ...{ version: 3, sources: ['src/lost.ts'], names: ['computeTotal'] },
    ...(texts === null ? {} : { sourcesContent: texts }),
    mappings: writeMappings([
      [{ column: 13, original: { source: 0, line: 0, column: 2, name: null } }],
      [{ column: 13, original: { source: 0, line: 0, column: 9, name: 0 } }],
    ]),
  });

describe('the function of a frame', () => {
  it.each<[string, readonly string[] | null]>([
    ['is not there', null],
    ['is longer than what is parsed', [`function unread() { throw 1; }\n${'// a line\n'.repeat(60_000)}`]],
    ['cannot be parsed', ['['.repeat(200_000)]],
  ])('has the name of its call where its source %s', async (what, texts) => {
    const client = await connect(culprit);
    const { files } = await uploadMaps(
      culprit,
      client.project,
      [{ path: '[lost].js', code: CODE, map: lost(texts) }],
      'shop@1',
    );
    expect(files).toMatchObject([{ verdict: 'ready' }]);
    // As Next.js names and serves the script of a page.
    const file = `${SITE}/%5Blost%5D.js`;
    await client.send({
      event_type: 'frontend_exception',
      timestamp: new Date().toISOString(),
      service: { name: 'shop-web', environment: 'production' },
      sdk: { name: 'custom', version: '1.0.0' },
      context: { release: 'shop@1' },
      payload: {
        name: 'Error',
        message: what,
        stack: `Error: ${what}\n    at a (${file}:1:14)\n    at b (${file}:2:14)`,
      },
    });
    const { incident_id: id } = await client.only();
    const frames = (await client.bundle(id)).context.stack?.frames ?? [];
    expect(frames.map(({ function: name, file: of, line }) => `${name} ${of}:${line}`)).toEqual([
      'computeTotal src/lost.ts:1',
      // The oldest one has no call, so its name is the one that was sent.
      expect.stringMatching(/^(?:b|<min>) src\/lost\.ts:1$/),
    ]);
  });
});
