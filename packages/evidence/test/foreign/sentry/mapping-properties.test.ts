import { it } from 'vitest';
import { assertMapped } from './mapping-properties.ts';

it('F-40 maps every spoiled item without a throw into events that are accepted', () => {
  assertMapped(600);
});
