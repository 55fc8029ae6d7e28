import { chooseLane } from '../lanes/test-files.ts';

/** True in the long lane (`npm run test:long`), where random tests are as large as docs/contract/reliability.md wants. */
export const IS_LONG_LANE = chooseLane() === 'long';

/** How large a test is: what its own variable says, else the size of the lane. */
export function runSize(variable: string, sizes: { standard: number; long: number }): number {
  const given = process.env[variable];
  if (given !== undefined) return Number(given);
  return IS_LONG_LANE ? sizes.long : sizes.standard;
}
