import { createClient } from '@culprit/contract/endpoints/client';
import { updateProject } from '@culprit/contract/workspace/projects';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Segment, writeMappings } from '../../../source-maps/test/write-mappings.ts';
import { alertClient } from '../support/alert-client.ts';
import { type BuiltShop, buildShop } from '../support/built-shop.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { expectOk } from '../support/expect-ok.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/source-maps.md 4.6 and 5.5, items 18, 19 and 31 of its checklist: what a mapped event joins, and its frames. */

let culprit: TestCulprit;
let shop: BuiltShop;
let second: BuiltShop;
beforeAll(async () => {
  culprit = await shareCulprit();
  shop = await buildShop('groups');
  second = await buildShop('groups of another build', 'console.log([1, 2, 3].map((n) => n * 7));');
});
afterAll(() => culprit.stop());

const ADDRESS = 'https://shop.example/assets/index.js';

function event(payload: object): object {
  return {
    event_type: 'frontend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop-web', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: { name: 'TypeError', message: 'no price', ...payload },
  };
}

/** A failure at a text of a build, in a function that the stack calls so. */
function failure(built: BuiltShop, text: string, { name = 'e', hasId = true } = {}): object {
  const { line, column } = built.place(text);
  return event({
    stack: `TypeError: no price\n    at ${name} (${ADDRESS}:${line}:${column})`,
    ...(hasId ? { debug_ids: { [ADDRESS]: built.debugId } } : {}),
  });
}

const originsOf = async (client: IncidentClient, incidentId: string): Promise<unknown> => {
  const { body } = await client.get(`/v1/incidents/${incidentId}/grouping`);
  const keys: unknown = Object(Object(body).grouping).keys;
  return Array.isArray(keys) ? keys.map((key) => Object(key).origin) : keys;
};

describe('an incident that was opened without a map', () => {
  it('takes its first mapped event without an alert or a second bundle.created; a second mapped key opens its own', async () => {
    const client = await connect(culprit);
    const alerts = alertClient(culprit, client.project);
    await alerts.create({ channel: 'email', config: { to: 'oncall@example.test' } });
    await uploadMaps(culprit, client.project, [await buildShop('unrelated')]);
    await client.send(failure(shop, 'price.amount'));
    const { incident_id: id } = await client.only();
    await client.bundle(id);
    const told = async () => ({
      opened: (await client.ledger('incident.opened')).length,
      bundles: (await client.ledger('bundle.created')).length,
      alerts: (await alerts.evaluated()).length,
    });
    await client.refreshed();
    expect(await told()).toEqual({ opened: 1, bundles: 1, alerts: 1 });

    await uploadMaps(culprit, client.project, [second]);
    await client.send(failure(second, 'price.amount'));
    expect((await client.only(2)).incident_id).toBe(id);
    await client.refreshed();
    expect(await told()).toEqual({ opened: 1, bundles: 1, alerts: 1 });
    expect(await originsOf(client, id)).toEqual(['own', 'mapped']);

    // It has the same minified frame as the two before it.
    await client.send(failure(second, 'RangeError('));
    await client.counted(2, 1);
    await client.refreshed();
    expect(await told()).toEqual({ opened: 2, bundles: 2, alerts: 2 });
  });
});

describe('an incident that was opened by a mapped event', () => {
  it('is joined by events without a map where the build kept the names, and by none where it did not', async () => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [shop]);
    await client.send(failure(shop, 'price.amount', { name: 'computeTotal' }));
    const { incident_id: named } = await client.only();
    expect(await originsOf(client, named)).toEqual(['own', 'unmapped']);
    await client.send(failure(shop, 'price.amount', { name: 'computeTotal', hasId: false }));
    expect((await client.only(2)).incident_id).toBe(named);

    await client.send(failure(shop, 'RangeError('));
    const minified = (await client.counted(2, 1)).find(({ occurrence_count: count }) => count === 1);
    expect(await originsOf(client, minified?.incident_id ?? '')).toEqual(['own']);
    await client.send(failure(shop, 'RangeError(', { hasId: false }));
    await client.counted(2, 1, 1);
  });
});

/** A function a line, each of a source of its own. */
const SOURCES = [
  'src/own.ts',
  'src/listed.ts',
  'src/listed-as-before.ts',
  'src/listed-and-ruled.ts',
  '../node_modules/some-library/index.ts',
  'webpack/bootstrap',
  'src/ruled.ts',
];
const LINES = SOURCES.map((_, index) => `function handler${index}(){}`);
const mapWith = (more: object): string =>
  JSON.stringify({
    version: 3,
    sources: SOURCES,
    sourcesContent: LINES,
    names: [],
    mappings: writeMappings(
      LINES.map((_, source): Segment[] => [
        { column: 9, original: { source, line: 0, column: 9, name: null } },
      ]),
    ),
    ...more,
  });

describe('a mapped frame', () => {
  it('is of a library by the rules of the project, the list of its map and its file, whatever the client said', async () => {
    const client = await connect(culprit);
    const api = createClient({ baseUrl: culprit.url, token: client.project.memberToken });
    const rules = ['src/listed-and-ruled.ts own', 'src/ruled.ts foreign'];
    expectOk(
      await api.call(updateProject, {
        params: { id: client.project.projectId },
        body: { stack_rules: rules },
      }),
    );
    const lists = [{ ignoreList: [1, 3] }, { x_google_ignoreList: [2, 3] }];
    await uploadMaps(
      culprit,
      client.project,
      lists.map((list, index) => ({
        path: `list-${index}.js`,
        code: `${LINES.join('\n')}\n// ${index}`,
        map: mapWith(list),
      })),
      'shop@1',
    );
    for (const [index, says] of [false, true].entries()) {
      const frames = LINES.map((_, line) => ({
        ...{ function: 'e', file: `https://shop.example/list-${index}.js` },
        ...{ line: line + 1, column: 10, in_app: says },
      }));
      await client.send({
        ...event({ message: `list ${index}`, exceptions: [{ type: 'TypeError', message: 'x', frames }] }),
        context: { release: 'shop@1' },
      });
    }
    await client.processed();
    const read = await Promise.all(
      (await client.list({ project_id: client.project.projectId })).map(async ({ incident_id: id }) => {
        const { context } = await client.bundle(id);
        return context.stack?.frames ?? [];
      }),
    );
    const owners = read.map((frames) => frames.map(({ file, in_app: own }) => `${file} ${own}`));
    const of = (listed: boolean) => [
      'src/own.ts true',
      `src/listed.ts ${!listed}`,
      `src/listed-as-before.ts ${listed}`,
      'src/listed-and-ruled.ts true',
      'node_modules/some-library/index.ts false',
      'webpack/bootstrap false',
      'src/ruled.ts false',
    ];
    expect(owners).toEqual(expect.arrayContaining([of(true), of(false)]));
  });
});
