/** The place of a slot: one service is one service in one environment. */
export interface SlotKey {
  serviceId: string;
  /** 32 hex digits. */
  slot: string;
}

/** The facts that decide which of several incidents the others join. */
export interface IncidentAge {
  incidentId: string;
  firstSeenAtMs: number;
}

/** Incidents that become one. */
export interface SlotMerge {
  from: string;
  into: string;
  slot: SlotKey;
}

/**
 * Keys, incidents and slots that belong together, and the incident of each group: the oldest. Which slot was joined
 * first makes no difference.
 */
export class SlotGroups<Key extends IncidentAge> {
  readonly #parents = new Map<string, string>();
  readonly #incidents = new Map<string, IncidentAge>();
  readonly #keys = new Map<string, Key>();
  readonly #slots = new Map<string, SlotKey>();
  /** Keys that need no incident of their own, by their incident-to-be, with the slot that brings them. */
  readonly #joining = new Map<string, SlotKey>();
  /** By incident, the slot that ties it to its group. */
  readonly #ties = new Map<string, SlotKey>();

  /** Ties an incident that is there to a slot. */
  tieIncident(slot: SlotKey, incident: IncidentAge): void {
    this.#incidents.set(incident.incidentId, incident);
    this.#tie(slot, incident.incidentId);
  }

  /** Connects a key to a slot; `joins`: the slot was already open, so the key needs no separate incident. */
  tieKey(slot: SlotKey, key: Key, joins: boolean): void {
    this.#keys.set(key.incidentId, key);
    this.#tie(slot, key.incidentId);
    if (joins && !this.#joining.has(key.incidentId)) this.#joining.set(key.incidentId, slot);
  }

  #tie(slot: SlotKey, node: string): void {
    const text = slotText(slot);
    this.#slots.set(text, slot);
    if (!this.#ties.has(node)) this.#ties.set(node, slot);
    this.#parents.set(this.#rootOf(node), this.#rootOf(text));
  }

  #rootOf(node: string): string {
    let root = node;
    for (let next = this.#parents.get(root); next !== undefined && next !== root; ) {
      root = next;
      next = this.#parents.get(root);
    }
    return root;
  }

  /**
   * Returns the results: the keys that join an incident, the incidents that become one, and the target of each slot.
   */
  result(): {
    joined: Map<Key, { incidentId: string; slot: SlotKey }>;
    merges: SlotMerge[];
    leads: Map<string, string>;
  } {
    const oldest = new Map<string, IncidentAge>();
    const older = (incident: IncidentAge) => {
      const root = this.#rootOf(incident.incidentId);
      const known = oldest.get(root);
      if (known === undefined || isOlder(incident, known)) oldest.set(root, incident);
    };
    const own = [...this.#keys.values()].filter(({ incidentId }) => !this.#joining.has(incidentId));
    for (const incident of [...this.#incidents.values(), ...own]) older(incident);
    for (const key of this.#keys.values()) {
      // All incidents of the group are gone: its first key opens the next one.
      if (oldest.has(this.#rootOf(key.incidentId))) continue;
      this.#joining.delete(key.incidentId);
      older(key);
    }
    const leadOf = (node: string) => oldest.get(this.#rootOf(node))?.incidentId ?? node;
    const joined = new Map<Key, { incidentId: string; slot: SlotKey }>();
    for (const [id, slot] of this.#joining) {
      const key = this.#keys.get(id);
      if (key !== undefined) joined.set(key, { incidentId: leadOf(id), slot });
    }
    const merges: SlotMerge[] = [];
    for (const [node, slot] of this.#ties) {
      if (this.#joining.has(node) || leadOf(node) === node) continue;
      merges.push({ from: node, into: leadOf(node), slot });
    }
    return { joined, merges, leads: new Map([...this.#slots.keys()].map((text) => [text, leadOf(text)])) };
  }
}

function isOlder(a: IncidentAge, b: IncidentAge): boolean {
  return (
    a.firstSeenAtMs < b.firstSeenAtMs || (a.firstSeenAtMs === b.firstSeenAtMs && a.incidentId < b.incidentId)
  );
}

/** Returns one text for a slot, which distinguishes it from every other. */
export function slotText({ serviceId, slot }: SlotKey): string {
  return `${serviceId} ${slot}`;
}
