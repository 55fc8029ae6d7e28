import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import { errorFacts } from '@culprit/evidence/incidents/event-search-facts';
import { COMMON_VALUES } from '@culprit/evidence/incidents/event-tags';
import { keptMessages, keptReleases } from '@culprit/evidence/incidents/search-document';
import type { Transaction } from '../../../platform/db/database.ts';
import { wholeEvent } from '../processing/counted-event.ts';
import type { SignalGroup } from '../processing/hold-groups.ts';
import { releaseBy } from './collect-facts.ts';
import { insertSearchRows, type SearchRow } from './search-rows.queries.ts';

/** Lets incidents that were made just now be found, in the transaction that makes them. */
export function openSearchRows(
  transaction: Transaction,
  projectId: string,
  groups: readonly SignalGroup[],
  rules: readonly StackRule[],
): void {
  insertSearchRows(
    transaction,
    projectId,
    groups.filter(({ isNew }) => isNew).flatMap((group) => searchRow(group, rules)),
  );
}

function searchRow(group: SignalGroup, rules: readonly StackRule[]): SearchRow[] {
  const [first] = group.signals;
  const opened = group.opened;
  if (first === undefined || opened === null) return [];
  const values = new Map<string, Set<string>>();
  for (const signal of group.signals) {
    const tags = signal.facts?.tags ?? [];
    for (let n = 0; n + 1 < tags.length; n += 2) note(values, tags[n] ?? '', tags[n + 1] ?? '');
    const release = releaseBy(group, signal);
    if (release !== null) note(values, 'release', release);
  }
  const of = (key: string) => [...(values.get(key) ?? [])];
  const { hasOwnFrames, ...errors } = errorFacts(wholeEvent(first), rules);
  return [
    {
      incidentId: group.incident.incidentId,
      hasOwnFrames,
      facts: {
        title: opened.title,
        service: opened.serviceName,
        environment: opened.environment,
        kind: opened.reasonKind,
        ...errors,
        messages: keptMessages(
          [],
          group.signals.map(({ facts }) => facts?.message ?? ''),
        ),
        tagValues: [...values]
          .flatMap(([key, each]) => (COMMON_VALUES.has(key) ? [] : [...each]))
          .slice(0, TAG_VALUES_MAX),
        routes: of('route').slice(0, LISTED_MAX),
        statuses: of('http.status').slice(0, LISTED_MAX),
        releases: keptReleases([], of('release')),
      },
    },
  ];
}

const TAG_VALUES_MAX = 60;
const LISTED_MAX = 50;

function note(values: Map<string, Set<string>>, key: string, value: string): void {
  const known = values.get(key);
  if (known === undefined) values.set(key, new Set([value]));
  else known.add(value);
}
