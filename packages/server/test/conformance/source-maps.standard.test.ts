import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltShop, buildShop } from '../support/built-shop.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/source-maps.md. */

let culprit: TestCulprit;
let shop: BuiltShop;
beforeAll(async () => {
  culprit = await shareCulprit();
  shop = await buildShop('first');
});
afterAll(() => culprit.stop());

const ADDRESS = 'https://shop.example/assets/index.js';

/** A failure in the browser at a place of the bundle. */
function failure(
  at: { line: number; column: number },
  more: {
    debugId?: string | null;
    release?: string;
    message?: string;
    caller?: { line: number; column: number };
  } = {},
): object {
  const {
    debugId = null,
    release,
    message = "Cannot read properties of null (reading 'amount')",
    caller,
  } = more;
  const lines = [`TypeError: ${message}`, `    at e (${ADDRESS}?v=1:${at.line}:${at.column})`];
  if (caller !== undefined) lines.push(`    at t (${ADDRESS}?v=1:${caller.line}:${caller.column})`);
  return {
    event_type: 'frontend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop-web', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    ...(release === undefined ? {} : { context: { release } }),
    payload: {
      name: 'TypeError',
      message,
      stack: lines.join('\n'),
      ...(debugId === null ? {} : { debug_ids: { [ADDRESS]: debugId } }),
    },
  };
}

async function stackOf(client: IncidentClient, incidentId: string) {
  const { context } = await client.bundle(incidentId);
  return { frames: context.stack?.frames ?? [], symbolication: context.symbolication, error: context.error };
}

describe('a source map that was uploaded', () => {
  it('maps the frames of an event with its debug id: file, line, function and source line', async () => {
    const client = await connect(culprit);
    const upload = await uploadMaps(culprit, client.project, [shop]);
    expect(upload.files).toMatchObject([{ verdict: 'ready', problem: null, debug_id: shop.debugId }]);
    expect(upload.files[0]?.probe).toMatchObject({ file: 'src/cart.ts', text: expect.any(String) });
    await client.send(
      failure(shop.place('price.amount'), { debugId: shop.debugId, caller: shop.place('total(),') }),
    );
    const incident = await client.only();
    const { frames, symbolication } = await stackOf(client, incident.incident_id);
    expect(frames[0]).toMatchObject({
      function: 'Cart.total.<anonymous>',
      file: 'src/cart.ts',
      line: 5,
      in_app: true,
      context_line: expect.stringContaining('item.price!.amount'),
      map: { state: 'mapped', reason: null },
      generated: { function: '<min>', file: '/assets/index.js', line: 1 },
    });
    expect(symbolication).toMatchObject({ state: 'mapped', unmapped: 0, problems: [] });
  });
});
