import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { type BuiltShop, buildShop } from '../support/built-shop.ts';
import { countRows } from '../support/count-rows.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';

/** docs/contract/source-maps.md 5.6 and item 34 of its checklist: an application, or someone else, invents debug ids. */

const EVENTS_PER_REQUEST = 500;
const WAITS_OF_INCIDENT_MAX = 20;
const ADDRESS = 'https://shop.example/assets/index.js';

function failure(built: BuiltShop, debugId: string): object {
  const { line, column } = built.place('price.amount');
  return {
    event_type: 'frontend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop-web', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: {
      name: 'TypeError',
      message: 'no price',
      stack: `TypeError: no price\n    at e (${ADDRESS}:${line}:${column})`,
      debug_ids: { [ADDRESS]: debugId },
    },
  };
}

/**
 * Sends that many events, each with a debug id of its own, and one with an id that is real: its map comes after them all
 * and is used. What waits stays within its bound, and a project beside it is served as ever.
 * @param processedMs the time within which the events must be incidents
 */
export async function expectNoHarmOf(
  culprit: TestCulprit,
  count: number,
  processedMs: number,
): Promise<void> {
  const [flooded, other] = [await connect(culprit), await connect(culprit)];
  const [shop, late] = [await buildShop('flooded'), await buildShop('late', 'console.log([7].map(String));')];
  await uploadMaps(culprit, flooded.project, [shop]);
  await uploadMaps(culprit, other.project, [shop]);
  for (let sent = 0; sent < count; sent += EVENTS_PER_REQUEST) {
    const some = Math.min(EVENTS_PER_REQUEST, count - sent);
    await flooded.send(...Array.from({ length: some }, () => failure(shop, randomUUID())));
  }
  // Beside what is still to be read of the others.
  await other.send(failure(shop, shop.debugId));
  const mapped = await other.only();
  expect(mapped.matched_fields).toContain('mapped_frames');
  expect((await other.bundle(mapped.incident_id)).context.stack?.frames[0]?.file).toBe('src/cart.ts');

  await eventually(async () => {
    const [incident] = await flooded.list({ project_id: flooded.project.projectId });
    expect(incident?.occurrence_count).toBe(count);
  }, processedMs);
  await flooded.send(failure(late, late.debugId));
  const incident = await flooded.only(count + 1);
  expect(incident.matched_fields).not.toContain('mapped_frames');
  const waits = () => countRows(culprit, 'map_waits where project_id = $1', [projectId]);
  const projectId = parseId(['proj'], flooded.project.projectId);
  expect(await waits()).toBe(WAITS_OF_INCIDENT_MAX);

  await uploadMaps(culprit, flooded.project, [{ ...late, path: 'assets/late.js' }]);
  await eventually(
    async () => expect(await flooded.ledger('incident.remapped')).toHaveLength(1),
    processedMs,
  );
  expect(await waits()).toBe(WAITS_OF_INCIDENT_MAX - 1);
  // Its next events go where the others are, and are mapped.
  await flooded.send(failure(late, late.debugId));
  const { incident_id: id } = await flooded.only(count + 2);
  const { body } = await flooded.get(`/v1/incidents/${id}/grouping`);
  expect(body).toMatchObject({ grouping: { keys: [{ origin: 'own' }, { origin: 'mapped' }] } });
  expect(await flooded.ledger('incident.opened')).toHaveLength(1);
}
