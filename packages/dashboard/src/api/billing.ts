import { type BillingSummary, getBilling } from '@culprit/contract/workspace/billing';
import { queryOptions } from '@tanstack/react-query';
import { count } from '../format/numbers.ts';
import { freshness } from './freshness.ts';
import { call } from './transport.ts';

/** Plan, usage and capacity of the organization that the person owns. */
export const billingQuery = queryOptions({
  queryKey: [getBilling.id],
  queryFn: async ({ signal }): Promise<BillingSummary> => (await call(getBilling, { signal })).billing,
  ...freshness('settings'),
});

/** The limit in the API's answers if plans limit nothing. */
const UNLIMITED = 2_147_483_647;

/** An allowance as a meter shows it. */
export function meterOf({ used, limit }: { used: number; limit: number }) {
  const isUnlimited = limit >= UNLIMITED;
  return {
    used,
    limit: isUnlimited ? null : limit,
    usedWords: count(used),
    limitWords: isUnlimited ? 'no limit' : count(limit),
  };
}
