import { expect, it } from 'vitest';
import { compareRandomMaps } from './oracle.ts';

/** docs/contract/source-maps.md 14 and item 11 of its checklist. */

const PLACES = 1_000_000;
const MAPS_AT_ONCE = 500;

it('1,000,000 places of random maps are found as another reader finds them', async () => {
  let compared = 0;
  while (compared < PLACES) compared += await compareRandomMaps(MAPS_AT_ONCE);
  expect(compared).toBeGreaterThanOrEqual(PLACES);
}, 900_000);
