import type { QueryOf } from '@culprit/contract/endpoint';
import { type Incident, listIncidents } from '@culprit/contract/incidents';
import type { Context } from '../../context.ts';
import type { outlastTrouble } from './outlast-trouble.ts';
import { type TailLine, tailLineOf } from './tail-line.ts';

/** More pages than anybody reads; what is older than they reach is left out. */
const PAGES_MAX = 100;

/** What became new or came back since a time, oldest first, as the lines that tail would have shown. */
export async function recentLines(
  context: Context,
  { projectId, since }: { projectId: string | null; since: string },
  patiently: ReturnType<typeof outlastTrouble>,
): Promise<TailLine[]> {
  const api = await context.api();
  const lines: TailLine[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const query: QueryOf<typeof listIncidents> = {
      limit: 100,
      attention_after: since,
      ...(projectId === null ? {} : { project_id: projectId }),
      ...(cursor === null ? {} : { cursor }),
    };
    const page: { incidents: Incident[]; next_cursor: string | null } | null = await patiently(() =>
      api.call(listIncidents, { query }),
    );
    if (page === null) break;
    lines.push(...page.incidents.flatMap((incident) => linesOf(incident, since)));
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  return lines.sort((one, other) => one.at.localeCompare(other.at, 'en'));
}

function linesOf(incident: Incident, since: string): TailLine[] {
  const { regressed_at, first_seen_at } = incident;
  const isSince = (at: string | null): at is string => at !== null && Date.parse(at) >= Date.parse(since);
  return [
    ...(isSince(first_seen_at) ? [{ ...tailLineOf(incident, 'new'), at: first_seen_at }] : []),
    ...(isSince(regressed_at) ? [{ ...tailLineOf(incident, 'regressed'), at: regressed_at }] : []),
  ];
}
