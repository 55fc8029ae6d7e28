import { randomUUID } from 'node:crypto';
import { bundleMarkdown } from '@culprit/contract/incidents/bundle-text';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { storeDocument } from '../../src/pipeline/bundles/document/stored-document.ts';
import { parseId } from '../../src/platform/ids.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { EX, LOG } from '../conformance/incidents-fixtures.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { clientOf, connect, type IncidentClient } from '../support/incident-client.ts';
import { rebuildBundles } from '../support/rebuild-bundles.ts';

/** docs/contract/source-maps.md 5.4 and 5.5, item 20: what source maps change for projects that have none, which is nothing. */

let before: TestCulprit;
let after: TestCulprit;
beforeAll(async () => {
  before = await startCulprit({ maps: { isOn: false } });
});
afterAll(async () => {
  await after?.stop();
  await before.stop();
});

const ADDRESS = 'https://shop.example/assets/index.js';
const browser = (name: string, more: object = {}) => ({
  ...EX({ event_type: 'frontend_exception', context: { release: 'shop@1' } }),
  payload: {
    ...{ name, message: `${name} in a page`, debug_ids: { [ADDRESS]: randomUUID() }, ...more },
    stack: `${name}: x\n    at e (${ADDRESS}:1:734)\n    at Cart.open (${ADDRESS}:1:90)`,
  },
});
/** Stacks that a map could change, and others. */
const events = [
  EX({ context: { release: 'shop@1' } }),
  browser('TypeError'),
  browser('RangeError', { browser_event: { kind: 'window_error', opaque: false } }),
  LOG('error', 'logged', {
    payload: {
      error: { name: 'Error', message: 'logged', stack: `Error: logged\n    at f (/srv/app/main.ts:3:9)` },
    },
  }),
];

const rowsOf = async (culprit: TestCulprit, { project }: IncidentClient) =>
  await culprit.database.query(
    {
      name: 'test-rows-of-incidents',
      text: `select encode(i.fingerprint, 'hex') as fingerprint, i.fingerprint_version, i.fingerprint_kind, i.title,
          i.severity, i.matched_fields, i.readers, i.rule, i.has_mapped_key, i.first_release, i.occurrence_count,
          b.symbolication, (select count(*) from incident_aliases a where a.project_id = i.project_id)::integer as aliases,
          (select count(*) from map_waits w where w.project_id = i.project_id)::integer as waits
        from incidents i left join bundles b using (incident_id) where i.project_id = $1 order by i.fingerprint`,
    },
    [parseId(['proj'], project.projectId)],
  );

it('a project without maps has the rows and, byte for byte, the bundles of a server without source maps', async () => {
  const client = await connect(before);
  await client.send(...events);
  await client.counted(1, 1, 1, 1);
  const bundles = await rebuildBundles(before, client);
  const rows = await rowsOf(before, client);
  expect(bundles).toHaveLength(4);
  await before.stopWorker();

  // The upgrade: another server on the same database and objects.
  after = await startCulprit({ databaseUrl: before.databaseUrl, objectStore: before.objectStore });
  const upgraded = clientOf(after, client.project);
  expect(await rebuildBundles(after, upgraded)).toEqual(bundles);
  expect(await rowsOf(after, upgraded)).toEqual(rows);
  const fresh = await connect(after);
  await fresh.send(...events);
  await fresh.counted(1, 1, 1, 1);
  await fresh.refreshed();
  expect(await rowsOf(after, fresh)).toEqual(rows);

  // What was opened before goes on, and nothing is split.
  await upgraded.send(...events);
  await upgraded.counted(2, 2, 2, 2);
  expect(await upgraded.ledger('incident.opened')).toHaveLength(4);
});

it('a bundle of an older format is read as it was stored, and the next event makes one of this format', async () => {
  const client = await connect(after);
  await client.send(browser('SyntaxError'));
  const { incident_id: id } = await client.only();
  const made = await client.bundle(id);
  const { stack: _, symbolication: __, releases: ___, ...context } = made.context;
  const old = { ...made, context, metadata: { ...made.metadata, generator_version: 'bundle-1.0.0' } };
  const document = Buffer.from(JSON.stringify(old));
  const incident = parseId(['inc'], id);
  const [row] = await after.database.query<{ object_key: string }>(
    {
      name: 'test-older-bundle',
      text: 'update bundles set size_bytes = $2, symbolication = null where incident_id = $1 returning object_key',
    },
    [incident, document.length],
  );
  await storeDocument(await openObjectStore(after.objectStore), row?.object_key ?? '', document);
  const read = await client.bundle(id);
  expect(read).toEqual(old);
  const record = await client.read(id);
  expect(record.symbolication).toBeNull();
  expect(bundleMarkdown(record, read)).toContain('SyntaxError in a page');
  await client.send(browser('SyntaxError'));
  await client.only(2);
  await client.refreshed();
  expect((await client.bundle(id, 2)).metadata.generator_version).toBe(made.metadata.generator_version);
});
