import type { TailEvent } from '@culprit/contract/events/recent-events';
import { Link } from '@tanstack/react-router';
import { type RefObject, useLayoutEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { visibleLine } from '../format/event-text.ts';
import { TYPE_WORDS } from '../format/event-words.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { useWindowedRows } from '../ui/lists/windowed-rows.ts';
import styles from './tail-page.module.css';
import { foldedRuns } from './tail-rows.ts';

const ROW_PX = 28;
const NARROW_ROW_PX = 48;
const narrow = window.matchMedia('(width < 600px)');

/** The rows near the window, each in its place; all are equally high. */
export function TailList({
  rows: events,
  ref,
}: {
  rows: readonly TailEvent[];
  ref: RefObject<HTMLDivElement | null>;
}) {
  const rowHeight = useSyncExternalStore(onWidth, () => (narrow.matches ? NARROW_ROW_PX : ROW_PX));
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const box = ref.current?.getBoundingClientRect();
    setTop(box === undefined ? 0 : box.top + window.scrollY);
  }, [ref]);
  const rows = useMemo(() => foldedRuns(events), [events]);
  const { first, end } = useWindowedRows({ count: rows.length, rowHeight, top });
  if (rows.length === 0) return <div ref={ref} />;
  return (
    <div
      ref={ref}
      role="list"
      aria-label="Events"
      className={styles.rows}
      style={{ blockSize: rows.length * rowHeight }}
    >
      {rows.slice(first, end).map(({ key, row, times }, offset) => (
        <div
          key={key}
          role="listitem"
          aria-setsize={rows.length}
          aria-posinset={first + offset + 1}
          className={styles.row}
          data-level={row.level ?? undefined}
          style={{ blockSize: rowHeight, transform: `translateY(${(first + offset) * rowHeight}px)` }}
        >
          <Cells row={row} times={times} />
        </div>
      ))}
    </div>
  );
}

function Cells({ row, times }: { row: TailEvent; times: number }) {
  const { received_at: receivedAt, event_type: type, level, service, environment, text } = row;
  return (
    <>
      <span className={styles.time}>
        <Time iso={receivedAt} form="clock" />
      </span>
      <span className={styles.level}>{level ?? TYPE_WORDS[type].toLowerCase()}</span>
      <span className={styles.service} translate="no" title={visibleLine(`${service} · ${environment}`)}>
        {visibleLine(service)}
      </span>
      {row.incident_id === null ? (
        <span className={styles.text} dir="auto" translate="no">
          {visibleLine(text)}
        </span>
      ) : (
        <Link
          className={styles.text}
          to={pathTo('incident', { id: row.incident_id })}
          search={{ event: row.event_id }}
          dir="auto"
          translate="no"
        >
          {visibleLine(text)}
        </Link>
      )}
      {times > 1 && <span className={styles.times}>× {times}</span>}
    </>
  );
}

function onWidth(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}
