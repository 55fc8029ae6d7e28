import { writtenValue } from '@culprit/contract/schemas/written-value';
import type { View } from '@culprit/contract/search/views';
import { type ListSearch, SPANS, STATUS_DEFAULT } from '../api/list-search.ts';

/** Returns the part of a list that a view keeps: filters become terms of its query. */
export function viewOf(search: ListSearch): Pick<View, 'q' | 'status' | 'sort'> {
  const { first_seen: firstSeen, service, environment } = search;
  const terms = [
    search.q,
    search.severity === undefined ? undefined : `severity:${search.severity}`,
    search.severity_min === undefined ? undefined : `severity:>=${search.severity_min}`,
    service === undefined ? undefined : `service:${writtenValue(service)}`,
    environment === undefined ? undefined : `env:${writtenValue(environment)}`,
    search.spiking === undefined ? undefined : 'is:spiking',
    firstSeen === undefined
      ? undefined
      : `first_seen:${Object.hasOwn(SPANS, firstSeen) ? `<${firstSeen}` : `>${firstSeen}`}`,
  ];
  return {
    q: terms.filter((term) => term !== undefined && term !== '').join(' '),
    // The list has already read the parameters of the address.
    status: (search.status ?? STATUS_DEFAULT) as View['status'],
    sort: (search.sort ?? 'last_seen') as View['sort'],
  };
}
