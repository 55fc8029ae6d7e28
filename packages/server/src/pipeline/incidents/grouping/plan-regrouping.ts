import type { RegroupedEvent } from './compare-groups.ts';

/** A new key and the incidents that continue under it. */
export interface PlannedKey {
  service: string;
  /** Version and fingerprint. */
  key: string;
  incidentIds: string[];
  events: number;
}

/**
 * Plans the changes of the present incidents when their events get other keys: each old key continues under the new one
 * that most of its events have, and incidents that continue under one key become one. Rarer new keys lead nowhere, so
 * that their events open separate incidents. Most events first.
 */
export function planRegrouping(events: readonly RegroupedEvent[]): PlannedKey[] {
  const byOldKey = new Map<string, { event: RegroupedEvent; counts: Map<string, number> }>();
  const totals = new Map<string, number>();
  for (const event of events) {
    const text = `${event.incidentId} ${event.service} ${event.key}`;
    const known = byOldKey.get(text) ?? { event, counts: new Map<string, number>() };
    known.counts.set(event.proposedKey, (known.counts.get(event.proposedKey) ?? 0) + 1);
    byOldKey.set(text, known);
    const planned = `${event.service} ${event.proposedKey}`;
    totals.set(planned, (totals.get(planned) ?? 0) + 1);
  }
  const plan = new Map<string, Omit<PlannedKey, 'incidentIds'> & { incidentIds: Set<string> }>();
  for (const { event, counts } of byOldKey.values()) {
    const { incidentId, service } = event;
    const [key] = [...counts].reduce((best, each) =>
      each[1] > best[1] || (each[1] === best[1] && each[0] < best[0]) ? each : best,
    );
    const text = `${service} ${key}`;
    const known = plan.get(text) ?? { service, key, incidentIds: new Set(), events: totals.get(text) ?? 0 };
    known.incidentIds.add(incidentId);
    plan.set(text, known);
  }
  return [...plan.values()]
    .map((planned) => ({ ...planned, incidentIds: [...planned.incidentIds] }))
    .sort((a, b) => b.events - a.events || (a.key < b.key ? -1 : 1));
}

/** Incidents that keys tie together, each with its keys. */
export function joinPlan(plan: readonly PlannedKey[]): { incidentIds: string[]; keys: string[] }[] {
  const parents = new Map<string, string>();
  const rootOf = (node: string): string => {
    const next = parents.get(node);
    return next === undefined ? node : rootOf(next);
  };
  for (const { incidentIds } of plan) {
    const [first = '', ...others] = incidentIds;
    for (const other of others) {
      const [from, to] = [rootOf(other), rootOf(first)];
      if (from !== to) parents.set(from, to);
    }
  }
  const groups = new Map<string, { incidentIds: Set<string>; keys: Set<string> }>();
  for (const { incidentIds, key } of plan) {
    const root = rootOf(incidentIds[0] ?? '');
    const group = groups.get(root) ?? { incidentIds: new Set(), keys: new Set() };
    for (const id of incidentIds) group.incidentIds.add(id);
    group.keys.add(key);
    groups.set(root, group);
  }
  return [...groups.values()].map((group) => ({
    incidentIds: [...group.incidentIds],
    keys: [...group.keys],
  }));
}
