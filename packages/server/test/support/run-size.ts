/** True in the long lane (`npm run test:long`), where random tests are as large as reliability.md wants them. */
export const IS_LONG_LANE = process.env.CULPRIT_TEST_LONG === '1';

/** How large a test is: what its own variable says, else the size of the lane. */
export function runSize(variable: string, sizes: { standard: number; long: number }): number {
  const given = process.env[variable];
  if (given !== undefined) return Number(given);
  return IS_LONG_LANE ? sizes.long : sizes.standard;
}
