import { type Incident, listIncidents } from '@culprit/contract/incidents/incidents';
import type { Context } from '../../context.ts';
import { sleep } from '../../sleep.ts';
import type { outlastTrouble } from './outlast-trouble.ts';
import { type TailKind, type TailLine, tailLineOf } from './tail-line.ts';

const LOOK_EVERY_MS = 2000;

/** For servers without a feed: compares the first page of incidents with what it was. */
export async function pollIncidents(
  context: Context,
  projectId: string | null,
  tell: (line: TailLine) => void,
  { signal, patiently }: { signal: AbortSignal; patiently: ReturnType<typeof outlastTrouble> },
): Promise<void> {
  const api = await context.api();
  let before: Look | null = null;
  while (!signal.aborted) {
    const page = await patiently(() =>
      api.call(listIncidents, {
        query: { limit: 100, ...(projectId === null ? {} : { project_id: projectId }) },
      }),
    );
    if (page === null) return;
    const known: Look | null = before;
    if (known !== null) {
      for (const incident of page.incidents.toReversed()) {
        for (const kind of changesSince(known, incident)) tell(tailLineOf(incident, kind));
      }
    }
    before = lookAt(page.incidents, { hasMore: page.next_cursor !== null, before: known });
    await sleep(LOOK_EVERY_MS, signal);
  }
}

/** The state of the incidents before a look. */
export interface Look {
  seen: ReadonlyMap<string, Incident>;
  /** Incidents whose last activity was before it were there and not on the page; null when the page had all. */
  hiddenUntil: string | null;
}

/** Returns the changes of an incident since an earlier look. */
export function changesSince({ seen, hiddenUntil }: Look, now: Incident): TailKind[] {
  const before = seen.get(now.incident_id);
  const mayHaveChanged = (at: string | null) => at !== null && (hiddenUntil === null || at > hiddenUntil);
  if (before === undefined) {
    if (mayHaveChanged(now.regressed_at)) return ['regressed'];
    // An old one that moved onto the page is not new.
    return mayHaveChanged(now.first_seen_at) ? ['new'] : [];
  }
  const kinds: TailKind[] = [];
  if (now.regressed_at !== before.regressed_at && now.regressed_at !== null) kinds.push('regressed');
  else if (now.status !== before.status) kinds.push(now.status === 'resolved' ? 'resolved' : 'reopened');
  if (now.spike_detected_at !== before.spike_detected_at && now.spike_detected_at !== null)
    kinds.push('spike');
  if (now.severity !== before.severity) kinds.push('severity');
  return kinds;
}

/** Returns the content of a page, added to the earlier state. */
export function lookAt(
  incidents: readonly Incident[],
  { hasMore, before }: { hasMore: boolean; before: Look | null },
): Look {
  const oldestActivity = incidents.map(({ last_seen_at }) => last_seen_at).toSorted()[0] ?? null;
  return {
    seen: new Map([
      ...(before?.seen ?? []),
      ...incidents.map((each): [string, Incident] => [each.incident_id, each]),
    ]),
    hiddenUntil: hasMore ? oldestActivity : null,
  };
}
