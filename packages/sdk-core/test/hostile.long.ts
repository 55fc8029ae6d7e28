import { it } from 'vitest';
import { runSize } from '../../server/test/support/run-size.ts';
import { chooseSeed } from '../../server/test/support/seeded-random.ts';
import { captureHostileValues } from './support/hostile-values.ts';

const EVENTS = runSize('CULPRIT_HOSTILE_EVENTS', { standard: 100_000, long: 1_000_000 });

it(`makes sound JSON of whatever a host passes, ${EVENTS} times`, { timeout: 600_000 }, () => {
  captureHostileValues(EVENTS, chooseSeed());
});
