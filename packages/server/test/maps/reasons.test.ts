import { randomUUID } from 'node:crypto';
import { createClient } from '@culprit/contract/endpoints/client';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { type MapFacts, type MapReason, mapWords } from '@culprit/contract/releases/map-words';
import * as maps from '@culprit/contract/releases/source-maps';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltShop, buildShop } from '../support/built-shop.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectOk } from '../support/expect-ok.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { removeUnneededMaps } from '../support/unneeded-maps.ts';

/** docs/contract/source-maps.md 5.2, 5.3 and 5.6, items 21, 23, 24 and 27 of its checklist: of what becomes of events. */

let culprit: TestCulprit;
let shop: BuiltShop;
beforeAll(async () => {
  culprit = await shareCulprit();
  shop = await buildShop('reasons');
});
afterAll(() => culprit.stop());

const SITE = 'https://shop.example';
const RELEASE = 'shop@1';

interface Failing {
  file?: string;
  at?: string;
  debugId?: string;
  release?: string;
}

/** @param at line and column of the frame, as the stack has them */
function failure(message: string, { file = `${SITE}/assets/index.js`, at = '', debugId, release }: Failing) {
  return {
    event_type: 'frontend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop-web', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    ...(release === undefined ? {} : { context: { release } }),
    payload: {
      name: 'TypeError',
      message,
      stack: `TypeError: ${message}\n    at handlePayment (${file}${at})`,
      ...(debugId === undefined ? {} : { debug_ids: { [file]: debugId } }),
    },
  };
}

const withoutId = ({ code, map }: BuiltShop, path: string) => ({
  path,
  code: `${code.replace(/^\/\/# debugId=.*$/m, '')}//${path}`,
  map: map.replace(/,?"debugId":"[^"]*"/, ''),
});
const apiOf = ({ project }: IncidentClient) =>
  createClient({ baseUrl: culprit.url, token: project.memberToken });

async function bundleOf(client: IncidentClient, message: string): Promise<DebugBundle & { id: string }> {
  const incident = await eventually(async () => {
    const found = (await client.list({ project_id: client.project.projectId })).find(({ title }) =>
      title.includes(message),
    );
    if (found === undefined) throw new Error(`no incident of ${message}`);
    return found;
  });
  return { ...(await client.bundle(incident.incident_id)), id: incident.incident_id };
}

describe('an event whose frame is not mapped', () => {
  it('has the reason, the words and the next step of the one table, for each reason that a stack can have', async () => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [shop]);
    const refused = { path: 'refused.js', code: 'x()', map: '[]' };
    await uploadMaps(culprit, client.project, [withoutId(shop, 'a/twice.js')], RELEASE);
    await uploadMaps(culprit, client.project, [withoutId(shop, 'b/twice.js'), refused], RELEASE);
    const { line, column } = shop.place('price.amount');
    const at = `:${line}:${column}`;
    const [unknownId, file] = [randomUUID(), '/assets/index.js'];
    const ofShop = { debugId: shop.debugId };
    const refusal =
      'The map of refused.js is not JSON (it begins with «[]»). Is it an error page, or cut off?';
    const cases: [MapReason, Failing, Omit<MapFacts, 'file'> & { file?: string }][] = [
      ['no_debug_id_no_release', { at }, {}],
      ['no_map_for_debug_id', { at, debugId: unknownId }, { debugId: unknownId }],
      ['release_without_maps', { at, release: 'shop@9' }, { release: 'shop@9' }],
      [
        'no_map_for_file',
        { at, release: RELEASE, file: `${SITE}/other.js` },
        { release: RELEASE, file: '/other.js' },
      ],
      [
        'ambiguous_file',
        { at, release: RELEASE, file: `${SITE}/twice.js` },
        { release: RELEASE, file: '/twice.js', paths: ['b/twice.js', 'a/twice.js'] },
      ],
      [
        'map_refused',
        { at, release: RELEASE, file: `${SITE}/refused.js` },
        { release: RELEASE, file: '/refused.js', refusal },
      ],
      ['no_position', ofShop, {}],
      ['position_outside_file', { at: ':9999:1', ...ofShop }, { line: 9999, column: 1 }],
      ['file_differs', { at: `:${line}:${column + 2}`, ...ofShop }, {}],
      ['development_build', { at, file: `${SITE}/src/main.tsx` }, { file: '/src/main.tsx' }],
    ];
    await client.send(...cases.map(([reason, failing]) => failure(reason, failing)));
    for (const [reason, , facts] of cases) {
      const { words, hint } = mapWords(reason, { file, ...facts });
      const { context, id } = await bundleOf(client, reason);
      const said = { reason, words, hint, file: facts.file ?? file, frames: 1 };
      const state = reason === 'development_build' ? 'not_needed' : 'unmapped';
      expect(context.stack?.frames[0]?.map).toMatchObject({ state: 'unmapped', reason });
      expect(context.symbolication).toMatchObject({ state, problems: [said] });
      const [row] = await client.logs(id);
      const { body } = await client.get(`/v1/incidents/${id}/events/${row?.event_id}`);
      expect(body).toMatchObject({ event: { symbolication: { state, problems: [said] } } });
    }
    const ambiguous = expectOk(
      await apiOf(client).call(maps.explainFrame, {
        params: { id: client.project.projectId },
        body: { file: `${SITE}/twice.js?v=2#top`, release: RELEASE, line, column },
      }),
    );
    expect(ambiguous.reason).toBe('ambiguous_file');
    expect(ambiguous.candidates.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['a/twice.js', 'b/twice.js']),
    );
  });

  it('by a build tool alone has no problem to tell', async () => {
    const client = await connect(culprit);
    const built = withoutId(shop, 'tail.js');
    await uploadMaps(culprit, client.project, [built], RELEASE);
    // The line behind the code, which the tool wrote.
    const at = `:${built.code.split('\n').length}:1`;
    await client.send(failure('made by a tool', { at, release: RELEASE, file: `${SITE}/tail.js` }));
    const { context } = await bundleOf(client, 'made by a tool');
    expect(context.stack?.frames[0]?.map).toMatchObject({ state: 'unmapped', reason: 'no_mapping' });
    expect(context.symbolication).toMatchObject({ state: 'unmapped', problems: [] });
  });
});

describe('the debug id of a file', () => {
  it('beats its release and name, and where it has no map, no file of the same name is used', async () => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [shop]);
    // Of the same places, in a source of another name.
    const named = withoutId(shop, 'assets/index.js');
    const renamed = { ...named, map: named.map.replaceAll('cart.ts', 'basket.ts') };
    await uploadMaps(culprit, client.project, [renamed], RELEASE);
    const { line, column } = shop.place('price.amount');
    const at = `:${line}:${column}`;
    await client.send(
      failure('by its id', { at, debugId: shop.debugId, release: RELEASE }),
      failure('by its name', { at, release: RELEASE }),
      failure('by neither', { at, debugId: randomUUID(), release: RELEASE }),
    );
    const read = async (message: string) => {
      const [frame] = (await bundleOf(client, message)).context.stack?.frames ?? [];
      return [frame?.file, frame?.line, frame?.map?.reason];
    };
    expect(await read('by its id')).toEqual(['src/cart.ts', 5, null]);
    expect(await read('by its name')).toEqual(['src/basket.ts', 5, null]);
    expect(await read('by neither')).toEqual(['/assets/index.js', 1, 'no_map_for_debug_id']);
  });
});

describe('a map that is removed', () => {
  it('leaves the frames in the bundle; a new event says on which day it was removed and why', async () => {
    const client = await connect(culprit);
    const { files } = await uploadMaps(culprit, client.project, [shop]);
    const { line, column } = shop.place('price.amount');
    const failing = failure('of a removed map', { at: `:${line}:${column}`, debugId: shop.debugId });
    await client.send(failing);
    const { id } = await bundleOf(client, 'of a removed map');
    const sourceMapId = files[0]?.source_map_id ?? '';
    const { source_map: removed } = expectOk(
      await apiOf(client).call(maps.deleteSourceMap, {
        params: { id: client.project.projectId, sourceMapId },
      }),
    );
    // Of the two the first one stays the primary one: it happened later.
    await client.send({ ...failing, timestamp: new Date(Date.now() - 60_000).toISOString() });
    await client.only(2);
    await client.refreshed();
    const { context, metadata } = await client.bundle(id, 2);
    expect(metadata.generation_number).toBeGreaterThan(1);
    expect(context.stack?.frames[0]).toMatchObject({
      file: 'src/cart.ts',
      line: 5,
      map: { state: 'mapped' },
    });
    expect(context.symbolication).toMatchObject({ state: 'mapped', problems: [] });

    const [newest] = await client.logs(id);
    const { body } = await client.get(`/v1/incidents/${id}/events/${newest?.event_id}`);
    const { words, hint } = mapWords('map_removed', {
      file: '/assets/index.js',
      removedOn: removed.removed_at?.slice(0, 10) ?? null,
      removedReason: 'deleted',
    });
    expect(words).toMatch(/was removed on \d{4}-\d\d-\d\d: a member deleted it\./);
    expect(body).toMatchObject({
      event: { symbolication: { state: 'unmapped', problems: [{ reason: 'map_removed', words, hint }] } },
    });
  });

  it.each(['unused', 'replaced'] as const)(
    'says so in a new event where it was %s',
    async (removedReason) => {
      const client = await connect(culprit);
      await uploadMaps(culprit, client.project, [shop], RELEASE);
      if (removedReason === 'unused') await removeUnneededMaps(culprit, client.project.projectId);
      else {
        const other = await buildShop('in place of it', 'console.log([7].map(String));');
        const [code, map] = [other.code, other.map].map((text) =>
          text.replaceAll(other.debugId, shop.debugId),
        );
        const same = { ...shop, code: code ?? '', map: map ?? '' };
        const { files } = await uploadMaps(culprit, client.project, [same], 'shop@2');
        expect(files).toMatchObject([{ verdict: 'replaced' }]);
      }
      const { line, column } = shop.place('price.amount');
      await client.send(failure('its map is gone', { at: `:${line}:${column}`, release: RELEASE }));
      const { context } = await bundleOf(client, 'its map is gone');
      const removedOn = new Date().toISOString().slice(0, 10);
      const said = mapWords('map_removed', { file: '/assets/index.js', removedOn, removedReason });
      expect(said.words).not.toContain('a member');
      expect(context.symbolication).toMatchObject({
        ...{ state: 'unmapped', problems: [{ reason: 'map_removed', ...said, frames: 1 }] },
      });
    },
  );
});
