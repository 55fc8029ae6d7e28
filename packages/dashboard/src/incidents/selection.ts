import { useEffect, useMemo, useState } from 'react';

export interface Selection {
  ids: ReadonlySet<string>;
  has: (id: string) => boolean;
  toggle: (id: string) => void;
  /** From the row that was chosen last to this one. */
  extendTo: (id: string) => void;
  set: (ids: readonly string[]) => void;
  clear: () => void;
}

/** Which rows are chosen. Another list begins without any. */
export function useSelection(name: string, order: readonly string[]): Selection {
  const [chosen, setIds] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins without any
  useEffect(() => setIds(new Set()), [name]);
  // The rows that are shown as chosen are the ones that are sent: rows that are gone are no longer among them.
  const ids = useMemo(() => {
    const shown = new Set(order);
    return new Set([...chosen].filter((id) => shown.has(id)));
  }, [chosen, order]);
  return useMemo(
    () => ({
      ids,
      has: (id) => ids.has(id),
      toggle(id) {
        const next = new Set(ids);
        if (!next.delete(id)) next.add(id);
        setIds(next);
        setAnchor(id);
      },
      extendTo(id) {
        const from = anchor === null ? -1 : order.indexOf(anchor);
        const to = order.indexOf(id);
        const range = from === -1 ? [id] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
        setIds(new Set([...ids, ...range]));
      },
      set: (chosen) => setIds(new Set(chosen)),
      clear: () => setIds(new Set()),
    }),
    [ids, anchor, order],
  );
}
