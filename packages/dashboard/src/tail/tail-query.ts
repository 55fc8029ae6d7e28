import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { tailEvents } from '@culprit/contract/events/recent-events';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { call } from '../api/transport.ts';
import { TYPE_WORDS } from '../format/event-words.ts';
import { knownSearch } from '../paths.ts';
import { continued, type Tail } from './tail-rows.ts';

/** The parameters in their order in the address. */
const PARAMETERS = ['type', 'level', 'service', 'environment', 'q'] as const;
export type TailSearch = { [Name in (typeof PARAMETERS)[number]]?: string };

type Query = QueryOf<typeof tailEvents>;

export const LEVEL_WORDS: Readonly<Record<NonNullable<Query['level']>, string>> = {
  debug: 'Debug and above',
  info: 'Info and above',
  warning: 'Warning and above',
  error: 'Error and above',
  critical: 'Critical and above',
  fatal: 'Fatal',
};

/** Returns the parameters of an address that are valid. */
export function readTailSearch(search: Record<string, unknown>): TailSearch {
  const known = knownSearch(search, PARAMETERS);
  if (!isKey(TYPE_WORDS, known.type)) delete known.type;
  if (!isKey(LEVEL_WORDS, known.level)) delete known.level;
  return known;
}

/** Reads the newest events, and continues every two seconds while they are shown. */
export function tailQuery(projectId: string, search: TailSearch) {
  const { type, level, service, environment, q } = search;
  return queryOptions({
    queryKey: [tailEvents.id, projectId, new URLSearchParams({ ...search }).toString()],
    queryFn: async ({ signal, client: queryClient, queryKey }): Promise<Tail> => {
      const before = queryClient.getQueryData<Tail>(queryKey);
      const after = before?.cursors[0];
      const query: Query = {
        ...(after === undefined ? {} : { after }),
        ...(isKey(TYPE_WORDS, type) ? { type } : {}),
        ...(isKey(LEVEL_WORDS, level) ? { level } : {}),
        ...(service === undefined ? {} : { service }),
        ...(environment === undefined ? {} : { environment }),
        ...(q === undefined ? {} : { q }),
      };
      const answer = await call(tailEvents, { params: { id: projectId }, query, signal });
      return continued(before, answer);
    },
    // Thousands of rows that are no longer shown are not kept.
    gcTime: 0,
    structuralSharing: false,
    ...freshness('tail'),
  });
}

function isKey<Words extends object>(words: Words, word: string | undefined): word is keyof Words & string {
  return word !== undefined && Object.hasOwn(words, word);
}
