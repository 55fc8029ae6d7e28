import {
  getOperatorHealth,
  listDeadLetters,
  type OperatorHealth,
} from '@culprit/contract/workspace/operator';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { call } from './transport.ts';

/** Reads the state of the installation; operators only. */
export const operatorHealthQuery = queryOptions({
  queryKey: [getOperatorHealth.id],
  queryFn: ({ signal }): Promise<OperatorHealth> => call(getOperatorHealth, { signal }),
  ...freshness('operator'),
});

/** The oldest events that could not be processed, and how many there are. */
export const deadLettersQuery = queryOptions({
  queryKey: [listDeadLetters.id],
  queryFn: ({ signal }) => call(listDeadLetters, { query: { limit: 20 }, signal }),
  ...freshness('operator'),
});
