import { QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './transport.ts';

const CACHE_MS = 30 * 60_000;
const RETRIES_MAX = 2;
/** The statuses that a second attempt may resolve. */
const PASSING = new Set([502, 503, 504]);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      gcTime: CACHE_MS,
      networkMode: 'always',
      retry: (count, error) =>
        error instanceof ApiProblem && PASSING.has(error.status) && count < RETRIES_MAX,
      retryDelay: (count, error) =>
        error instanceof ApiProblem && error.retryAfterSeconds !== null
          ? error.retryAfterSeconds * 1000
          : 500 * 2 ** count,
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
