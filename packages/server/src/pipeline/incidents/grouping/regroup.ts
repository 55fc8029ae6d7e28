/** A key that leads to the incident of a group, besides the incident's own. */
export interface GroupKey {
  /** Version and fingerprint. */
  key: string;
  origin: 'merge' | 'slot' | 'regrouping' | 'mapped' | 'unmapped';
  slot: string | null;
  /** The incident that the key belonged to before merges; null when it leads where it always led. */
  fromIncidentId: string | null;
  /** The incident into which a merged incident was merged at first, for its own key. */
  mergedInto: string | null;
  /** The change of grouping that led it or merged its incident. */
  regroupingId: string | null;
}

/** Origins of keys that stay with the incident to which they were led, whichever merges are undone. */
const LED: ReadonlySet<GroupKey['origin']> = new Set(['regrouping', 'mapped', 'unmapped']);

/** The incident of a group and everything that was merged into it. */
export interface Group {
  rootId: string;
  /** Those that are still there, each with its own key. */
  incidents: readonly { incidentId: string; key: string; firstSeenAtMs: number }[];
  keys: readonly GroupKey[];
  /** Open slots that lead to the group, each with the keys of the templates that it saw. */
  slots: readonly { slot: string; keys: readonly string[] }[];
}

/** One incident and the keys and slots that still lead to it. */
export interface Regrouped {
  /** Null when no incident is left: its next event opens one. */
  rootId: string | null;
  incidentIds: string[];
  keys: GroupKey[];
  slots: string[];
}

/**
 * Returns the groups that are left of one when merges of it are undone: keys that merges by hand and open slots still
 * connect stay in one group, and nothing else.
 * @param undone slots that are closed now, incidents that a person removes from their group, and the change of grouping
 * that is undone
 */
export function regroup(
  group: Group,
  undone: { slots: ReadonlySet<string>; incidentIds: ReadonlySet<string>; regroupingId?: string },
): Regrouped[] {
  const parents = new Map<string, string>();
  const rootOf = (node: string): string => {
    let root = node;
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root))
      root = next;
    return root;
  };
  const tie = (a: string, b: string) => {
    const [from, to] = [rootOf(a), rootOf(b)];
    if (from !== to) parents.set(from, to);
  };
  const nodes = nodesOfKeys(group);
  for (const { key, origin, fromIncidentId, mergedInto, regroupingId } of group.keys) {
    if (regroupingId !== null && regroupingId === undone.regroupingId) continue;
    const isTakenOut = fromIncidentId !== null && undone.incidentIds.has(fromIncidentId);
    if (origin === 'merge' && fromIncidentId !== null && mergedInto !== null && !isTakenOut) {
      tie(fromIncidentId, mergedInto);
    }
    if (LED.has(origin)) tie(key, fromIncidentId ?? group.rootId);
  }
  const open = group.slots.filter(({ slot }) => !undone.slots.has(slot));
  for (const { slot, keys } of open) {
    for (const key of keys) tie(slotNode(slot), nodes.get(key) ?? key);
  }
  for (const { key, origin, slot, mergedInto } of group.keys) {
    if (origin === 'slot' && mergedInto === null && slot !== null && !undone.slots.has(slot)) {
      tie(key, slotNode(slot));
    }
  }
  const left = new Map<string, Regrouped & { firstSeenAtMs: number }>();
  const leftOf = (node: string) => {
    const root = rootOf(node);
    const known = left.get(root);
    if (known !== undefined) return known;
    const fresh = {
      rootId: null,
      incidentIds: [],
      keys: [],
      slots: [],
      firstSeenAtMs: Number.POSITIVE_INFINITY,
    };
    left.set(root, fresh);
    return fresh;
  };
  for (const { incidentId, firstSeenAtMs } of group.incidents) {
    const part = leftOf(incidentId);
    part.incidentIds.push(incidentId);
    const isFirst =
      incidentId === group.rootId || (part.rootId !== group.rootId && firstSeenAtMs < part.firstSeenAtMs);
    if (part.rootId === null || isFirst) Object.assign(part, { rootId: incidentId, firstSeenAtMs });
  }
  for (const each of group.keys) leftOf(nodes.get(each.key) ?? each.key).keys.push(each);
  for (const { slot } of open) leftOf(slotNode(slot)).slots.push(slot);
  return [...left.values()].map(({ rootId, incidentIds, keys, slots }) => ({
    rootId,
    incidentIds,
    keys,
    slots,
  }));
}

/** The incident that owns a key, for keys that have one. */
function nodesOfKeys({ incidents, keys }: Group): Map<string, string> {
  const nodes = new Map(incidents.map(({ key, incidentId }) => [key, incidentId]));
  for (const { key, fromIncidentId, mergedInto } of keys) {
    if (mergedInto !== null && fromIncidentId !== null) nodes.set(key, fromIncidentId);
  }
  return nodes;
}

function slotNode(slot: string): string {
  return `slot ${slot}`;
}
