import { it } from 'vitest';
import { assertMapped } from './mapping-properties.ts';

it('maps 100,000 spoiled items without a throw into events that are accepted', { timeout: 600_000 }, () => {
  assertMapped(100_000);
});
