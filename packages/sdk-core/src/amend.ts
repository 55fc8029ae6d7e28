import type { DropCounts, DropReason } from './diagnostics.ts';
import type { Entry } from './sending/delivery.ts';
import type { JsonObject } from './wire.ts';

/**
 * Returns a function that completes the text of an event when its batch is formed: the time by the corrected clock with
 * `context.clock_skew_ms`, and on a signal `context.capture_loss`, the losses since the last event that reported them
 * (docs/contract/clients.md 3.2, 8.4). A loss counts as reported once its event was accepted.
 * @param offsetMs of the service's clock to the host's
 */
export function createAmendments(
  dropped: Readonly<DropCounts>,
  offsetMs: () => number,
): (entry: Entry) => string {
  let told: DropCounts = {};
  let carrier: { entry: Entry; loss: DropCounts; total: DropCounts } | null = null;

  const lossOf = (entry: Entry): DropCounts | null => {
    if (carrier?.entry === entry) return carrier.loss;
    if (carrier && !carrier.entry.fate) return null;
    if (carrier?.entry.fate === 'sent') told = carrier.total;
    carrier = null;
    if (!entry.rank) return null;
    const total = { ...dropped };
    const loss: DropCounts = {};
    for (const [reason, count] of entriesOf(total)) {
      if (count > (told[reason] ?? 0)) loss[reason] = count - (told[reason] ?? 0);
    }
    if (Object.keys(loss).length === 0) return null;
    carrier = { entry, loss, total };
    return loss;
  };

  return (entry) => {
    let { text } = entry;
    const added: JsonObject = {};
    const offset = offsetMs();
    if (offset !== 0) {
      // The time is the first member, and the context the last one.
      const at = new Date(Date.parse(text.slice(16, 40)) + offset).toISOString();
      text = text.slice(0, 16) + at + text.slice(40);
      added.clock_skew_ms = offset;
    }
    const loss = lossOf(entry);
    if (loss) added.capture_loss = { ...loss };
    const members = JSON.stringify(added).slice(1, -1);
    return (members && `${text.slice(0, -2) + (text.endsWith('{}}') ? '' : ',') + members}}}`) || text;
  };
}

function entriesOf(counts: DropCounts): [DropReason, number][] {
  return Object.entries(counts) as [DropReason, number][];
}
