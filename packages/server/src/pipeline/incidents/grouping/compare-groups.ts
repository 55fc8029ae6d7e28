/** A signal in the incident that counted it, and its keys by the rules in force and by others. */
export interface RegroupedEvent {
  incidentId: string;
  service: string;
  key: string;
  proposedKey: string;
  line: string;
}

interface ProposedMerge {
  incidents: { incidentId: string; events: number }[];
  events: number;
  samples: string[];
}

interface ProposedSplit {
  incidentId: string;
  events: number;
  groups: number;
  samples: string[];
}

const LINE_CHARS_MAX = 200;

/**
 * Returns the incidents that other keys would merge, and those that they would split; most events first. Keys that lead
 * to one incident today, by merges and slots, are one group as long as each of them stays whole.
 */
export function compareGroups(
  events: readonly RegroupedEvent[],
  samplesMax: number,
): { merges: ProposedMerge[]; splits: ProposedSplit[] } {
  const byProposed = new Map<string, Map<string, RegroupedEvent[]>>();
  const byKey = new Map<string, Map<string, RegroupedEvent[]>>();
  const counts = new Map<string, number>();
  for (const event of events) {
    add(byProposed, `${event.service} ${event.proposedKey}`, event.incidentId, event);
    add(byKey, `${event.incidentId} ${event.key}`, event.proposedKey, event);
    counts.set(event.incidentId, (counts.get(event.incidentId) ?? 0) + 1);
  }
  const merges = [...byProposed.values()].flatMap((incidents): ProposedMerge[] => {
    if (incidents.size < 2) return [];
    const all = [...incidents].map(([incidentId, of]) => ({ incidentId, events: of.length }));
    return [
      {
        incidents: all.sort((a, b) => b.events - a.events),
        events: all.reduce((sum, each) => sum + each.events, 0),
        samples: samplesOf(incidents, samplesMax),
      },
    ];
  });
  const splits = new Map<string, ProposedSplit>();
  for (const groups of byKey.values()) {
    const incidentId = [...groups.values()][0]?.[0]?.incidentId;
    if (groups.size < 2 || incidentId === undefined) continue;
    const known = splits.get(incidentId);
    splits.set(incidentId, {
      incidentId,
      events: counts.get(incidentId) ?? 0,
      groups: groups.size + (known === undefined ? 0 : known.groups - 1),
      samples: known?.samples ?? samplesOf(groups, samplesMax),
    });
  }
  return {
    merges: merges.sort((a, b) => b.events - a.events),
    splits: [...splits.values()].sort((a, b) => b.events - a.events),
  };
}

function add(
  groups: Map<string, Map<string, RegroupedEvent[]>>,
  group: string,
  part: string,
  event: RegroupedEvent,
): void {
  const parts = groups.get(group) ?? new Map<string, RegroupedEvent[]>();
  const members = parts.get(part);
  if (members === undefined) parts.set(part, [event]);
  else members.push(event);
  groups.set(group, parts);
}

/** One line of each part, of the first parts. */
function samplesOf(parts: ReadonlyMap<string, readonly RegroupedEvent[]>, samplesMax: number): string[] {
  return [...parts.values()]
    .slice(0, samplesMax)
    .map(([first]) => [...(first?.line ?? '')].slice(0, LINE_CHARS_MAX).join(''));
}
