import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { chooseSeed } from '../support/seeded-random.ts';

/** Property tests repeat in every run of the lanes below the long one, so that no run fails by chance. */
const { testPath } = expect.getState();
if (testPath !== undefined && readFileSync(testPath, 'utf8').includes("'fast-check'")) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: chooseSeed() });
}
