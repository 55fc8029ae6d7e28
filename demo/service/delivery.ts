/** The outcome of the events of one sender. */
export interface Delivery {
  accepted: number;
  /** Why events were refused or lost, each reason once. */
  problems: string[];
}

/** The counts of the client libraries (docs/contract/clients.md 8.6) that show losses. */
interface SenderCounts {
  accepted: number;
  waiting: number;
  dropped: Readonly<Record<string, number>>;
}

/** Events that ended here were wanted and did not arrive. */
const LOSSES = ['internal', 'overflow', 'too_large', 'rejected', 'stale', 'unload'];

/** Reads the counters of a library after its `flush`. */
export function deliveryOf({ accepted, waiting, dropped }: SenderCounts): Delivery {
  const lost = LOSSES.flatMap((reason) =>
    (dropped[reason] ?? 0) > 0 ? [`${dropped[reason]} ended as ${reason}`] : [],
  );
  return { accepted, problems: waiting > 0 ? [...lost, `${waiting} wait`] : lost };
}

/** The counters, from a process or a page that sent them as JSON. @throws Error when it is something else */
export function readCounts(value: unknown): SenderCounts {
  if (typeof value === 'object' && value !== null && 'dropped' in value && 'waiting' in value) {
    const { dropped, waiting } = value;
    const accepted = 'accepted' in value ? value.accepted : 0;
    if (typeof dropped === 'object' && dropped !== null) {
      const counters = Object.entries(dropped).map(([reason, count]): [string, number] => [
        reason,
        Number(count),
      ]);
      return {
        accepted: Number(accepted),
        waiting: Number(waiting),
        dropped: Object.fromEntries(counters),
      };
    }
  }
  throw new Error('a sender did not say what became of its events');
}
