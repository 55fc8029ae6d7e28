import { EVENT_LIMITS } from './parse-batch.ts';

/**
 * Returns true if an event that was created here keeps the limits of depth and values, which are otherwise checked on
 * the bytes.
 */
export function isWithinLimits(event: unknown): boolean {
  let nodesLeft: number = EVENT_LIMITS.nodesMax;

  function isWithin(value: unknown, levelsLeft: number): boolean {
    nodesLeft -= 1;
    if (nodesLeft < 0) return false;
    if (typeof value !== 'object' || value === null) return true;
    if (levelsLeft === 0) return false;
    for (const key in value) {
      if (!isWithin((value as Record<string, unknown>)[key], levelsLeft - 1)) return false;
    }
    return true;
  }
  return isWithin(event, EVENT_LIMITS.depthMax);
}
