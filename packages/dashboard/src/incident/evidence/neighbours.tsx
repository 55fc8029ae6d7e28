import downIcon from 'virtual:icon/chevron-down';
import upIcon from 'virtual:icon/chevron-up';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { lastList, listOf } from '../../api/incident-list.ts';
import { rowsOf } from '../../api/incident-pages.ts';
import { pathTo } from '../../paths.ts';
import { useShortcuts } from '../../shell/palette/shortcuts.tsx';
import { IconButton } from '../../ui/button.tsx';
import { useSignal } from '../../ui/signal.ts';
import styles from './neighbours.module.css';

/** The number of rows before its end at which the list is read on. */
const ROWS_BEFORE_END = 3;

/** Walks the very list that one came from, with its filters and its order. */
export function Neighbours({ id }: { id: string }) {
  const list = useSignal(lastList);
  const options = listOf(list?.search ?? {}, list?.projectId ?? null);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...options,
    enabled: list !== null,
    refetchInterval: false,
  });
  const navigate = useNavigate();
  const rows = rowsOf(list === null ? [] : (data?.pages ?? []));
  const at = rows.findIndex(({ incident_id: each }) => each === id);
  const isNearEnd = at >= rows.length - ROWS_BEFORE_END;
  useEffect(() => {
    if (at >= 0 && isNearEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [at, isNearEnd, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const before = rows[at - 1];
  const after = rows[at + 1];
  const go = (row: typeof before) => {
    if (row !== undefined) void navigate({ to: pathTo('incident', { id: row.incident_id }) });
  };
  useShortcuts('List', [
    { keys: '[', label: 'Previous incident of the list', run: () => go(before) },
    { keys: ']', label: 'Next incident of the list', run: () => go(at === -1 ? rows[0] : after) },
  ]);
  if (at === -1) return null;
  return (
    <div className={styles.place}>
      <span>
        {at + 1} of {rows.length}
      </span>
      <IconButton
        label="Previous"
        keys="["
        icon={upIcon}
        disabled={before === undefined}
        onClick={() => go(before)}
      />
      <IconButton
        label="Next"
        keys="]"
        icon={downIcon}
        disabled={after === undefined}
        data-tip-side="end"
        onClick={() => go(after)}
      />
    </div>
  );
}
