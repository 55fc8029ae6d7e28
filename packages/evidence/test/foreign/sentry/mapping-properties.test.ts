import { it } from 'vitest';
import { assertMapped } from './mapping-properties.ts';

// F-40
it('maps every spoiled item without a throw into events that are accepted', () => {
  assertMapped(600);
});
