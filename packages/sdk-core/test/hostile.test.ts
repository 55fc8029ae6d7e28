import { it } from 'vitest';
import { chooseSeed } from '../../server/test/support/seeded-random.ts';
import { captureHostileValues } from './support/hostile-values.ts';

it('makes sound JSON of whatever a host passes', () => {
  captureHostileValues(3000, chooseSeed());
});
