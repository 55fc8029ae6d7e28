import { randomUUID } from 'node:crypto';
import { MAP_PROBLEMS, type MapProblem } from '@culprit/contract/releases/map-limits';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vlq } from '../../../source-maps/test/write-mappings.ts';
import { type BuiltShop, buildShop } from '../support/built-shop.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type BuiltFile, sendMaps } from '../support/map-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/source-maps.md 3.4 and 14, items 6 and 13: each file of an upload has one verdict, whatever it is. */

let culprit: TestCulprit;
let shop: BuiltShop;
let other: BuiltShop;
beforeAll(async () => {
  culprit = await shareCulprit();
  shop = await buildShop('first');
  other = await buildShop('other', 'console.log(globalThis.shop, "of another build");');
});
afterAll(() => culprit.stop());

const withoutId = (text: string) =>
  text.replace(/^\/\/# debugId=.*$/m, '').replace(/,?"debugId":"[^"]*"/, '');

/** A file of one call, with what a map of it says. */
const call = (path: string, map: object): BuiltFile => ({
  ...{ path, code: `fail();//${path}` },
  map: JSON.stringify({ version: 3, sources: ['src/a.ts'], mappings: 'AAAA', ...map }),
});

async function verdictsOf(
  client: IncidentClient,
  files: readonly BuiltFile[],
  beforeFinish: (uploadId: string) => Promise<unknown> = async () => {},
) {
  const { uploadId, finish } = await sendMaps(culprit, client.project, files, 'shop@1');
  await beforeFinish(uploadId);
  const upload = await finish();
  return new Map(upload.files.map((file) => [file.path, file]));
}

async function expectMapped(client: IncidentClient, debugId: string): Promise<void> {
  const { line, column } = shop.place('price.amount');
  const address = 'https://shop.example/assets/index.js';
  await client.send({
    event_type: 'frontend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop-web', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: {
      ...{ name: 'TypeError', message: 'no price', debug_ids: { [address]: debugId } },
      stack: `TypeError: no price\n    at e (${address}:${line}:${column})`,
    },
  });
  const { context } = await client.bundle((await client.only()).incident_id);
  expect(context.stack?.frames[0]).toMatchObject({ file: 'src/cart.ts', line: 5 });
}

describe('an upload', () => {
  it('tells each problem of a file in words with its path and figures, and keeps the others', async () => {
    const client = await connect(culprit);
    const [code, map] = [withoutId(shop.code), withoutId(shop.map)];
    const [one, two] = [randomUUID(), randomUUID()];
    const problems: Record<MapProblem, [Partial<BuiltFile>, RegExp]> = {
      bytes_differ: [
        { announcedMap: map.replace('cart', 'cars'), map },
        /^The bytes of bytes_differ\.js are not/,
      ],
      not_json: [{ map: '<!doctype html>' }, /^The map of not_json\.js is not JSON .*«<!doctype ht»/],
      not_version_3: [
        { map: '{"version":4}' },
        /^The map of not_version_3\.js has version 4; only version 3/,
      ],
      map_empty: [
        { map: '{"version":3,"sources":[],"mappings":""}' },
        /^The map of map_empty\.js maps nothing/,
      ],
      bad_mappings: [
        call('', { mappings: 'AAAA,AA' }),
        /^The map of bad_mappings\.js .* segment 2: it has 2 fields/,
      ],
      map_too_large: [
        call('', { sources: Array(100_001).fill('a') }),
        /^The map of map_too_large\.js is too large: 100,?001 sources.*100,?000/,
      ],
      too_heavy: [call('', {}), /^The map of too_heavy\.js took too much time or memory/],
      debug_ids_differ: [
        { code: `${code}\n//# debugId=${one}`, map: map.replace('{', `{"debugId":"${two}",`) },
        new RegExp(`^debug_ids_differ\\.js and its map .* ${one} and ${two}`),
      ],
      map_not_of_file: [
        { code, map: withoutId(other.map) },
        /\d+ of \d+ begin .* version of map_not_of_file\.js/,
      ],
    };
    const files = Object.entries(problems).map(([problem, [file]]) => ({
      ...{ code: `${code}//${problem}`, map },
      ...file,
      path: `${problem}.js`,
    }));
    const found = await verdictsOf(client, [...files, shop], async (uploadId) => {
      // As where its reader died twice.
      await culprit.database.query(
        {
          name: 'test-attempts-of-map',
          text: `update map_upload_files set attempts = 2 where upload_id = $1 and path = 'too_heavy.js'`,
        },
        [uploadId],
      );
    });
    for (const problem of MAP_PROBLEMS) {
      const verdict = problem === 'map_empty' ? 'skipped' : 'refused';
      expect(found.get(`${problem}.js`)).toMatchObject({ verdict, problem, source_map_id: null });
      expect(found.get(`${problem}.js`)?.words).toMatch(problems[problem][1]);
    }
    expect(found.get(shop.path)).toMatchObject({ verdict: 'ready', problem: null });
    await expectMapped(client, shop.debugId);
  });

  it('of maps that were made to end their reader has a verdict on each, and the next one is read', async () => {
    const client = await connect(culprit);
    const hostile: [BuiltFile, object][] = [
      [call('brackets.js', { sourcesContent: ['['.repeat(200_000)] }), { verdict: 'ready' }],
      [
        call('members.js', { sources: ['__proto__'], names: ['__proto__'], mappings: 'AAAAA' }),
        { verdict: 'ready' },
      ],
      [
        call('halves.js', { sources: ['\ud800'], names: ['\udc00'], mappings: 'AAAAA' }),
        { verdict: 'ready' },
      ],
      [
        call('overflow.js', { mappings: `${vlq(2 ** 31)}AAA` }),
        { verdict: 'refused', problem: 'bad_mappings' },
      ],
    ];
    const texts: [string, string, object][] = [
      ['nested.js', `{"version":3,"a":${'['.repeat(200_000)}`, { problem: 'bad_mappings' }],
      ['sections.js', `{"version":3,"sections":[${'{},'.repeat(1_000_000)}{}]}`, { problem: 'bad_mappings' }],
      [
        'proto.js',
        '{"__proto__":{"version":3,"sources":["a"],"mappings":"AAAA"}}',
        { problem: 'not_version_3' },
      ],
    ];
    for (const [path, map, verdict] of texts)
      hostile.push([{ path, map, code: `fail();//${path}` }, verdict]);
    const found = await verdictsOf(client, [...hostile.map(([file]) => file), shop]);
    for (const [{ path }, verdict] of hostile) expect(found.get(path)).toMatchObject({ path, ...verdict });
    expect(found.get(shop.path)).toMatchObject({ verdict: 'ready' });
    expect('version' in {}).toBe(false);
    await expectMapped(client, shop.debugId);
  });
});
