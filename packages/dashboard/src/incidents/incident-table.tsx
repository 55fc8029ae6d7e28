import type { Incident } from '@culprit/contract/incidents/incidents';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { activityQuery } from '../api/activity.ts';
import { useFeature } from '../api/server.ts';
import { scrollToRow, useWindowedRows } from '../ui/lists/windowed-rows.ts';
import { IncidentCells, type RowFact } from './incident-row.tsx';
import styles from './incident-table.module.css';
import { useRowHeight } from './row-height.ts';
import type { Selection } from './selection.ts';

/** The bars that stay in view cover what is behind them. */
const COVERED = { abovePx: 140, belowPx: 80 };
/** The number of rows before the end at which the next page is read. */
const ROWS_BEFORE_END = 40;
/** Rows whose trend is asked for together, so that scrolling asks seldom. */
const ACTIVITY_BLOCK = 50;

export interface TableHandle {
  focusRow: (index: number) => void;
}

/** The rows of the list, of which only those near the window are in the page. */
export function IncidentTable({
  rows,
  active,
  selection,
  hasProjects,
  hasMore,
  onActive,
  onChange,
  onAssign,
  onFilter,
  onEndNear,
  ref,
}: {
  rows: readonly Incident[];
  /** The row that the keyboard is at. */
  active: number;
  selection: Selection;
  hasProjects: boolean;
  hasMore: boolean;
  onActive: (index: number) => void;
  onChange: (incident: Incident) => void;
  onAssign: (id: string) => void;
  onFilter: (fact: RowFact) => void;
  onEndNear: () => void;
  ref: Ref<TableHandle>;
}) {
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const rowHeight = useRowHeight();
  const hasActivity = useFeature('incident_activity');
  useLayoutEffect(() => {
    const box = body.current?.getBoundingClientRect();
    setTop(box === undefined ? 0 : box.top + window.scrollY);
  }, []);
  const { first, end, isPassing } = useWindowedRows({ count: rows.length, rowHeight, top });
  useEffect(() => {
    if (hasMore && end >= rows.length - ROWS_BEFORE_END) onEndNear();
  }, [hasMore, end, rows.length, onEndNear]);
  useImperativeHandle(ref, () => ({
    focusRow(index) {
      scrollToRow(top + index * rowHeight, rowHeight, COVERED);
      requestAnimationFrame(() => {
        const id = rows[index]?.incident_id ?? '';
        body.current
          ?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)
          ?.focus({ preventScroll: true });
      });
    },
  }));
  const blockAt = Math.floor(first / ACTIVITY_BLOCK) * ACTIVITY_BLOCK;
  const near = rows.slice(blockAt, blockAt + 2 * ACTIVITY_BLOCK).map(({ incident_id: id }) => id);
  const { data: activity } = useQuery({
    ...activityQuery(hasActivity && !isPassing ? near : []),
    // A function made here would keep the rows of this moment as long as the answer is kept.
    placeholderData: keepPreviousData,
  });

  return (
    <div className={styles.place}>
      <div
        role="table"
        aria-label="Incidents"
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        className={styles.table}
        data-activity={hasActivity}
      >
        <div role="row" className={styles.head} aria-rowindex={1}>
          <span role="columnheader" className={styles.check}>
            <input
              type="checkbox"
              checked={rows.length > 0 && rows.every(({ incident_id: id }) => selection.has(id))}
              aria-label={`Select all ${rows.length} that are shown`}
              onChange={({ target }) => {
                if (target.checked) selection.set(rows.map(({ incident_id: id }) => id));
                else selection.clear();
              }}
            />
          </span>
          <span role="columnheader">
            <span className="visually-hidden">Priority</span>
          </span>
          <span role="columnheader" className={styles.name}>
            Incident
          </span>
          {hasActivity && (
            <span role="columnheader" className={styles.trend}>
              Trend 24 h
            </span>
          )}
          <span role="columnheader" className={`${styles.number} ${styles.count}`}>
            Events
          </span>
          {hasActivity && (
            <span role="columnheader" className={`${styles.number} ${styles.users}`}>
              Users
            </span>
          )}
          <span role="columnheader" className={`${styles.number} ${styles.age}`}>
            Age
          </span>
          <span role="columnheader" className={`${styles.number} ${styles.seen}`}>
            Last
          </span>
          <span role="columnheader" className={styles.owner}>
            Owner
          </span>
        </div>
        <div
          ref={body}
          role="rowgroup"
          className={styles.body}
          style={{ blockSize: rows.length * rowHeight }}
        >
          {rows.slice(first, end).map((row, offset) => {
            const index = first + offset;
            const id = row.incident_id;
            return (
              <div
                key={id}
                role="row"
                aria-rowindex={index + 2}
                data-selected={selection.has(id)}
                className={row.status === 'resolved' ? `${styles.row} ${styles.resolved}` : styles.row}
                style={{ blockSize: rowHeight, transform: `translateY(${index * rowHeight}px)` }}
              >
                <IncidentCells
                  row={row}
                  activity={activity?.get(id) ?? null}
                  hasActivity={hasActivity}
                  hasProject={hasProjects}
                  isActive={index === active}
                  isSelected={selection.has(id)}
                  onFocus={() => onActive(index)}
                  onChange={() => onChange(row)}
                  onAssign={() => onAssign(id)}
                  onFilter={onFilter}
                  onSelect={(isRange) => {
                    onActive(index);
                    if (isRange) selection.extendTo(id);
                    else selection.toggle(id);
                  }}
                />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
