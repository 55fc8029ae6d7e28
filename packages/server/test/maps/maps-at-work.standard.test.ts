import { randomUUID } from 'node:crypto';
import { createClient } from '@culprit/contract/endpoints/client';
import * as maps from '@culprit/contract/releases/source-maps';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeptForms } from '../../src/maps/lookup/kept-forms.ts';
import { createNameMemory, openMapSession } from '../../src/maps/lookup/map-session.ts';
import type { Database, Parameter } from '../../src/platform/db/database.ts';
import { parseId } from '../../src/platform/ids.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { type BuiltShop, buildShop } from '../support/built-shop.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { whileLocked } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { expectOk } from '../support/expect-ok.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/source-maps.md 2.3, 5.2, 5.6 and 5.9: many maps, many names, and events that come at the wrong time. */

let culprit: TestCulprit;
let shop: BuiltShop;
let second: BuiltShop;
beforeAll(async () => {
  culprit = await shareCulprit();
  shop = await buildShop('first');
  second = await buildShop(
    'second',
    'export const padding = () => [1, 2, 3].map((n) => n * 7);console.log(padding());',
  );
});
afterAll(() => culprit.stop());

const SITE = 'https://shop.example';

interface Failing {
  address?: string;
  page?: string;
  release?: string;
  debugId?: string;
  message?: string;
}

/** A failure in the browser at a place of a bundle. */
function failure(
  built: BuiltShop,
  { address = `${SITE}/assets/index.js`, page, release, debugId, message }: Failing = {},
) {
  const { line, column } = built.place('price.amount');
  return {
    event_type: 'frontend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop-web', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    ...(release === undefined ? {} : { context: { release } }),
    payload: {
      name: 'TypeError',
      message: message ?? "Cannot read properties of null (reading 'amount')",
      stack: `TypeError: x\n    at e (${address}:${line}:${column})`,
      ...(page === undefined
        ? {}
        : { browser_event: { kind: 'window_error', opaque: false, page: { url: page } } }),
      ...(debugId === undefined ? {} : { debug_ids: { [address]: debugId } }),
    },
  };
}

const idOf = ({ project }: IncidentClient) => parseId(['proj'], project.projectId) ?? '';
const paramsOf = ({ project }: IncidentClient) => ({ id: project.projectId });
const apiOf = ({ project }: IncidentClient) =>
  createClient({ baseUrl: culprit.url, token: project.memberToken });
const asked = async (name: string, text: string, values: readonly Parameter[]) =>
  await culprit.database.query<Record<string, number>>({ name: `test-${name}`, text }, values);

async function stackOf(client: IncidentClient) {
  const [incident] = await client.list({ project_id: client.project.projectId });
  const { context } = await client.bundle(incident?.incident_id ?? '');
  return { frame: context.stack?.frames[0], problem: context.symbolication?.problems[0] };
}

const withoutId = (built: BuiltShop, path = built.path) => ({
  path,
  code: built.code.replace(/^\/\/# debugId=.*$/m, ''),
  map: built.map.replace(/,?"debugId":"[^"]*"/, ''),
});

describe('an event that its upload overtakes', () => {
  it('is mapped by the second run: its transaction began before the map was there, and ended after it', async () => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [await buildShop('unrelated')]);
    // What the event waits for is written last, so that its transaction stops here.
    await whileLocked(culprit, 'lock table map_waits in exclusive mode', async () => {
      await client.send(failure(shop, { debugId: shop.debugId }));
      await eventually(async () => {
        const [row] = await asked(
          'held',
          `select count(*)::integer as held from pg_stat_activity
          where wait_event_type = 'Lock' and query like '%map_waits%' and datname = current_database()`,
          [],
        );
        expect(row?.held).toBeGreaterThan(0);
      });
      await uploadMaps(culprit, client.project, [shop]);
      await eventually(async () => {
        const [row] = await asked(
          'first-run',
          `select count(*)::integer as runs from jobs
          where fairness_key = $1 and kind = 'maps.late' and key like '% now'`,
          [idOf(client)],
        );
        expect(row?.runs).toBe(0);
      });
    });
    const incident = await client.only();
    // Its key was made before the map was there.
    expect(incident.matched_fields).not.toContain('mapped_frames');
    const missing = async () =>
      expectOk(await apiOf(client).call(maps.listMissingMaps, { params: paramsOf(client) })).missing;
    expect(await missing()).toMatchObject([{ debug_id: shop.debugId, events: 1 }]);
    await asked(
      'due',
      `update jobs set run_at = culprit_now() where fairness_key = $1 and kind = 'maps.late'`,
      [idOf(client)],
    );
    await eventually(async () => expect(await missing()).toEqual([]));
    expect((await stackOf(client)).frame).toMatchObject({ file: 'src/cart.ts', map: { state: 'mapped' } });
    const { body } = await client.get(`/v1/incidents/${incident.incident_id}/grouping`);
    expect(body).toMatchObject({ grouping: { keys: [{ origin: 'own' }, { origin: 'mapped' }] } });
    expect(await client.ledger('incident.remapped')).toHaveLength(1);
  });
});

describe('the budget of a project', () => {
  const usageOf = async (client: IncidentClient) =>
    expectOk(
      await apiOf(client).call(maps.listSourceMaps, { params: paramsOf(client), query: { limit: 100 } }),
    );
  const needed = async (client: IncidentClient, path: string, days: number, bytes: number) =>
    await asked(
      'needed',
      `update source_maps set stored_bytes = $4, last_needed_at = culprit_now() - $3 * interval '1 day'
      where project_id = $1 and path = $2`,
      [idOf(client), path, days, bytes],
    );

  it('is kept by what was needed longest ago, never by what was needed in the last day', async () => {
    const client = await connect(culprit);
    const all = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map(async (name) => ({ ...(await buildShop(name)), path: `${name}.js` })),
    );
    const [a, b, c, d, e] = all;
    if (a === undefined || b === undefined || c === undefined || d === undefined || e === undefined)
      throw new Error('five builds');
    await uploadMaps(culprit, client.project, [a, b, c]);
    const part = 900_000_000;
    await needed(client, 'a.js', 40, part);
    await needed(client, 'b.js', 70, part);
    await needed(client, 'c.js', 0.5, part);
    await uploadMaps(culprit, client.project, [d]);
    const { source_maps: kept } = await usageOf(client);
    expect(kept.map(({ path }) => path).toSorted()).toEqual(['a.js', 'c.js', 'd.js']);
    const gone = await apiOf(client).call(maps.explainFrame, {
      params: paramsOf(client),
      body: { file: `${SITE}/b.js`, debug_id: b.debugId, line: 1, column: 1 },
    });
    expect(expectOk(gone)).toMatchObject({
      reason: 'map_removed',
      words: expect.stringContaining('exceeded their share'),
    });

    await needed(client, 'a.js', 0, 2 * part);
    await expect(uploadMaps(culprit, client.project, [e])).rejects.toThrow('source_map_budget_exceeded');
    expect((await usageOf(client)).usage.source_maps).toBe(3);
  });
});

describe('debug ids that were invented', () => {
  it('cost one statement for the names of a batch and one for what is absent, and a bounded memory', async () => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [shop]);
    const counted = { statements: 0 };
    const database = new Proxy(culprit.database, {
      get(target, key) {
        if (key === 'query') counted.statements += 1;
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }) satisfies Database;
    const names = createNameMemory();
    const objects = await openObjectStore(culprit.objectStore);
    const session = openMapSession({
      ...{
        database,
        names,
        forms: createKeptForms(objects),
        projectId: idOf(client),
        mapsVersion: 1,
        hasLines: false,
      },
    });
    const file = `${SITE}/a.js`;
    const ask = (id: string) =>
      session
        .placesOf({
          ...{
            debugIds: [{ file, id }],
            release: null,
            service: { name: 'w', environment: 'p' },
            atMs: 0,
            pageHost: null,
          },
        })
        .lookUp({ address: file, line: 1, column: 1 });
    for (let batch = 0; batch < 25; batch += 1) {
      const ids = Array.from({ length: 1000 }, () => randomUUID());
      for (const id of ids) ask(id);
      counted.statements = 0;
      await session.load();
      expect(counted.statements).toBe(2);
      expect(ask(ids[0] ?? '')).toMatchObject({ reason: 'no_map_for_debug_id' });
    }
    expect(names.named.weight).toBeLessThanOrEqual(20_000);
    expect(names.absent.weight).toBeLessThanOrEqual(20_000);
  });

  it('fill the waits of an incident and of a project up to their bounds, and disturb no other project', async () => {
    const [flooded, other] = [await connect(culprit), await connect(culprit)];
    await uploadMaps(culprit, flooded.project, [shop]);
    await uploadMaps(culprit, other.project, [shop]);
    const flood = () => failure(shop, { debugId: randomUUID() });
    await flooded.send(...Array.from({ length: 60 }, flood));
    await other.send(failure(shop, { debugId: shop.debugId }));
    await other.only();
    expect((await stackOf(other)).frame).toMatchObject({ file: 'src/cart.ts' });
    const incident = await flooded.only(60);
    const waits = async () => {
      const [row] = await asked(
        'waits',
        'select count(*)::integer as waits from map_waits where project_id = $1',
        [idOf(flooded)],
      );
      return row?.waits ?? 0;
    };
    expect(await waits()).toBeLessThanOrEqual(20);
    expect(await waits()).toBeGreaterThan(0);

    await asked(
      'fill-waits',
      `insert into map_waits (project_id, found_by, key, base_hash, incident_id, file, reason, service_name,
        is_browser, events, first_seen_at, last_seen_at)
      select $1, 'id', gen_random_uuid()::text, 0, $2, 'a.js', 'no_map_for_debug_id', 'w', true, 1, culprit_now(),
        culprit_now() - interval '1 day' from generate_series(1, 27000)`,
      [idOf(flooded), parseId(['inc'], incident.incident_id)],
    );
    await flooded.send(failure(shop, { debugId: randomUUID(), message: 'another one' }));
    await eventually(async () => expect(await waits()).toBeLessThanOrEqual(25_000));
  });
});

describe('names of files', () => {
  it('are those of the last upload of a release, also where it goes back to an earlier build', async () => {
    const client = await connect(culprit);
    const explained = async (built: BuiltShop) =>
      expectOk(
        await apiOf(client).call(maps.explainFrame, {
          params: paramsOf(client),
          body: { file: `${SITE}/assets/index.js`, release: 'main', ...built.place('price.amount') },
        }),
      );
    for (const built of [shop, second, shop]) {
      await uploadMaps(culprit, client.project, [withoutId(built)], 'main');
      expect(await explained(built)).toMatchObject({
        reason: null,
        mapped: { file: 'src/cart.ts', line: 5 },
      });
    }
  });

  it('that another host serves say so, unless the hash of their content is in them', async () => {
    const client = await connect(culprit);
    await uploadMaps(
      culprit,
      client.project,
      [withoutId(shop, 'main.js'), { ...withoutId(second, 'main-5MZQEVDA.js') }],
      'shop@1',
    );
    const at = { page: `${SITE}/cart`, release: 'shop@1' };
    await client.send(failure(shop, { ...at, address: 'https://cdn.example/v7/main.js' }));
    await client.only();
    expect((await stackOf(client)).problem).toMatchObject({
      reason: 'no_map_for_file',
      words: expect.stringContaining('cdn.example is not the host of the page'),
    });
    await client.send(
      failure(second, { ...at, address: 'https://cdn.example/v7/main-5MZQEVDA.js', message: 'second' }),
    );
    await client.counted(1, 1);
    expect((await stackOf(client)).frame).toMatchObject({ file: 'src/cart.ts', line: 5 });
  });

  it('of an extension of browsers are looked up where they have a debug id', async () => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [shop], 'ext@1');
    const address = 'chrome-extension://abcdefghijklmnop/assets/index.js';
    await client.send(failure(shop, { address, debugId: shop.debugId, release: 'ext@1' }));
    await client.only();
    expect((await stackOf(client)).frame).toMatchObject({ file: 'src/cart.ts', in_app: true });
    const other = await connect(culprit);
    await uploadMaps(culprit, other.project, [withoutId(shop)], 'ext@1');
    await other.send(failure(shop, { address, release: 'ext@1' }));
    await other.only();
    expect((await stackOf(other)).frame).toMatchObject({ file: '/assets/index.js', in_app: false });
  });

  it('with a debug id of Bun, without hyphens in file, map and event', async () => {
    const client = await connect(culprit);
    const bun = '6D5B3C9B6F3A2E1764756E2164756E21';
    const debugId = '6d5b3c9b-6f3a-2e17-6475-6e2164756e21';
    const built = {
      ...{ path: 'server.js', debugId },
      code: shop.code.replace(shop.debugId, bun),
      map: shop.map.replace(shop.debugId, bun),
    };
    const upload = await uploadMaps(culprit, client.project, [built]);
    expect(upload.files).toMatchObject([{ verdict: 'ready', debug_id: debugId }]);
    await client.send(failure(shop, { address: '/srv/app/server.js', debugId: bun }));
    await client.only();
    expect((await stackOf(client)).frame).toMatchObject({ file: 'src/cart.ts', line: 5 });
    const api = apiOf(client);
    const listed = expectOk(
      await api.call(maps.listSourceMaps, { params: paramsOf(client), query: { debug_id: bun } }),
    );
    expect(listed.source_maps).toHaveLength(1);
  });

  it('are those of each id that a plug-in and a command line gave one file, and the own one of a later file', async () => {
    const client = await connect(culprit);
    const ofPlugin = randomUUID();
    const register = (id: string) =>
      `!function(){try{var e=globalThis,n=(new e.Error).stack;n&&(e._sentryDebugIds=e._sentryDebugIds||{},e._sentryDebugIds[n]="${id}")}catch(e){}}();`;
    const twice = {
      ...shop,
      // In front of the code, where the map of the shop has no place.
      code: `${register(shop.debugId)}${register(ofPlugin)}\n${shop.code}`,
      map: shop.map.replace(/"mappings":\s*"/, (start) => `${start};`),
    };
    expect((await uploadMaps(culprit, client.project, [twice])).files).toMatchObject([{ verdict: 'ready' }]);
    const explained = async (debugId: string) =>
      expectOk(
        await apiOf(client).call(maps.explainFrame, {
          params: paramsOf(client),
          body: {
            ...{ file: `${SITE}/assets/index.js`, debug_id: debugId },
            ...shop.place('price.amount'),
            line: shop.place('price.amount').line + 1,
          },
        }),
      ).mapped;
    const first = await explained(shop.debugId);
    expect(first).toMatchObject({ file: 'src/cart.ts', line: 5 });
    expect(await explained(ofPlugin)).toEqual(first);

    const own = {
      ...second,
      code: second.code.replace(second.debugId, ofPlugin),
      map: second.map.replace(second.debugId, ofPlugin),
      debugId: ofPlugin,
    };
    expect((await uploadMaps(culprit, client.project, [own])).files).toMatchObject([{ verdict: 'ready' }]);
    expect(await explained(shop.debugId)).toEqual(first);
    expect((await explained(ofPlugin))?.source_map_id).not.toBe(first?.source_map_id);
  });

  it('whose map has an id that is none are kept under their release', async () => {
    const client = await connect(culprit);
    const built = { ...withoutId(shop), map: withoutId(shop).map.replace('{', '{"debugId":"main-bundle",') };
    const upload = await uploadMaps(culprit, client.project, [built], 'shop@1');
    expect(upload.files).toMatchObject([{ verdict: 'ready' }]);
    await client.send(failure(shop, { release: 'shop@1' }));
    await client.only();
    expect((await stackOf(client)).frame).toMatchObject({ file: 'src/cart.ts', line: 5 });
  });
});

describe('messages of mapped failures', () => {
  it('that differ in one word at one place of the code become one incident, of two builds alike', async () => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [shop, { ...second, path: 'assets/index-2.js' }]);
    const refused = (built: BuiltShop, coupon: string) =>
      failure(built, { debugId: built.debugId, message: `The coupon ${coupon} was refused by the shop` });
    for (const [index, coupon] of ['summer', 'winter', 'autumn', 'violet'].entries()) {
      await client.send(refused(index % 2 === 0 ? shop : second, coupon));
      await client.processed();
    }
    // The second one keeps what it counted, and is resolved.
    const [first, merged] = (await client.counted(3, 1)).toSorted(
      (one, two) => two.occurrence_count - one.occurrence_count,
    );
    expect(first?.matched_fields).toContain('mapped_frames');
    expect([first?.status, merged?.status]).toEqual(['open', 'resolved']);
    await client.send(refused(second, 'easter'));
    await client.counted(4, 1);
    // Another place of the code has the same words, and is another failure.
    const { line, column } = shop.place('RangeError(');
    const elsewhere = refused(shop, 'easter');
    elsewhere.payload.stack = `TypeError: x\n    at e (${SITE}/assets/index.js:${line}:${column})`;
    await client.send(elsewhere);
    await client.counted(4, 1, 1);
  });
});

describe('maps that are withheld, swapped, cut off and brought late', () => {
  it('have a reason at each frame, and the late one is used', async () => {
    const client = await connect(culprit);
    const [swapped, other] = [withoutId(shop, 'swapped.js'), withoutId(second)];
    const late = withoutId(second, 'late.js');
    await uploadMaps(
      culprit,
      client.project,
      [
        { ...swapped, map: other.map },
        { ...withoutId(shop, 'cut.js'), map: withoutId(shop).map.slice(0, 300) },
        withoutId(shop, 'right.js'),
      ],
      'shop@1',
    );
    const frame = (file: string, built: BuiltShop) => {
      const { line, column } = built.place('price.amount');
      return `    at e (${SITE}/${file}:${line}:${column})`;
    };
    const event = failure(shop, { release: 'shop@1' });
    event.payload.stack = [
      'TypeError: x',
      frame('withheld.js', shop),
      frame('swapped.js', shop),
      frame('cut.js', shop),
      frame('late.js', second),
      frame('right.js', shop),
    ].join('\n');
    await client.send(event);
    const incident = await client.only();
    const read = async () => {
      const { context } = await client.bundle(incident.incident_id);
      const problems = context.symbolication?.problems ?? [];
      return {
        state: context.symbolication?.state,
        reasons: (context.stack?.frames ?? []).map(({ map }) => map?.reason),
        words: Object.fromEntries(problems.map(({ file, words, hint }) => [file, `${words} ${hint}`])),
      };
    };
    const before = await read();
    expect(before.reasons).toEqual([
      'no_map_for_file',
      'map_refused',
      'map_refused',
      'no_map_for_file',
      null,
    ]);
    expect(before.state).toBe('partly');
    expect(before.words['/withheld.js']).toContain('none for withheld.js');
    expect(before.words['/swapped.js']).toContain('begin inside a word');
    expect(before.words['/cut.js']).toContain('is not JSON');
    await uploadMaps(culprit, client.project, [late], 'shop@1');
    await eventually(async () => {
      expect((await read()).reasons).toEqual(['no_map_for_file', 'map_refused', 'map_refused', null, null]);
    });
  });
});
