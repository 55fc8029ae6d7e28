import { type PointerEvent, type ReactNode, useState } from 'react';
import styles from './plot-figure.module.css';

export const PLOT_WIDTH = 1000;
const PICKING = 'Shift with an arrow key extends a range, Enter picks it, Escape removes it';

/** The first and the last place of a range. */
export type Picked = readonly [first: number, last: number];

export interface PlotRange {
  picked: Picked | null;
  /** Returns the text of a range while it is being picked. */
  wordsOf: (range: Picked) => string;
  onPick: (range: Picked | null) => void;
}

/**
 * Shows the common parts of every plot over time: the finding as its caption, arrow keys that read one place after the
 * other, and the numbers as a table on request and in print.
 */
export function PlotFigure({
  caption,
  controls,
  readings,
  axis,
  most,
  legend,
  flags,
  columns,
  rows,
  range,
  children,
}: {
  caption: string;
  controls?: ReactNode;
  /** The text of each place while the pointer is on it, from the first to the last. */
  readings: readonly string[];
  /** The labels below the plot while no pointer is on it, from its start to its end. */
  axis: readonly string[];
  /** The highest value, at the top of the plot. */
  most: string;
  legend?: ReactNode;
  /** The flags above the plot, at the places they are about. */
  flags?: ReactNode;
  /** Headings of the table; its rows carry a name and the values. */
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** Present where places can be picked: by dragging or a click, or by Shift with arrows and Enter. */
  range?: PlotRange | undefined;
  /** The plot, with the place that is pointed at. */
  children: (at: number | null) => ReactNode;
}) {
  const [at, setAt] = useState<number | null>(null);
  /** The place where the range that is being picked began. */
  const [anchor, setAnchor] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const last = readings.length - 1;
  const picking = at === null || anchor === null ? null : ordered(anchor, at);
  const reading =
    at === null
      ? undefined
      : picking !== null && range !== undefined && anchor !== at
        ? range.wordsOf(picking)
        : readings[at];
  const shown = picking ?? range?.picked ?? null;
  const placeOf = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(
      last,
      Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * readings.length)),
    );
  };
  const pick = (picked: Picked | null) => {
    setAnchor(null);
    range?.onPick(picked);
  };
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>
        <span>{caption}</span>
        <span className={styles.controls}>
          {controls}
          <button
            type="button"
            className={styles.toggle}
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? 'Show as plot' : 'Show as table'}
          </button>
        </span>
      </figcaption>
      {!isTable && flags}
      {!isTable && (
        <div
          className={styles.plot}
          data-picks={range !== undefined}
          role="slider"
          tabIndex={0}
          aria-label={caption}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, last)}
          aria-valuenow={at ?? Math.max(0, last)}
          aria-valuetext={reading ?? caption}
          aria-description={range === undefined ? undefined : PICKING}
          onKeyDown={(event) => {
            if (range !== undefined && event.key === 'Enter' && at !== null) {
              event.preventDefault();
              pick(picking ?? [at, at]);
              return;
            }
            if (range !== undefined && event.key === 'Escape' && shown !== null) {
              event.stopPropagation();
              pick(null);
              return;
            }
            const moves: Readonly<Record<string, number>> = {
              ArrowLeft: Math.max(0, (at ?? last + 1) - 1),
              ArrowRight: Math.min(last, (at ?? last - 1) + 1),
              Home: 0,
              End: last,
            };
            const next = moves[event.key];
            if (next === undefined) return;
            event.preventDefault();
            setAnchor(event.shiftKey ? (anchor ?? at ?? last) : null);
            setAt(next);
          }}
          onPointerDown={(event) => {
            if (range === undefined || event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setAnchor(placeOf(event));
          }}
          onPointerUp={(event) => {
            if (anchor !== null) pick(ordered(anchor, placeOf(event)));
          }}
          onPointerCancel={() => setAnchor(null)}
          onPointerMove={(event) => setAt(placeOf(event))}
          onPointerLeave={() => setAt(null)}
          onBlur={() => {
            setAt(null);
            setAnchor(null);
          }}
        >
          {children(at)}
          {shown !== null && (
            <span
              className={styles.picked}
              style={{
                insetInlineStart: `${(shown[0] / readings.length) * 100}%`,
                inlineSize: `${((shown[1] - shown[0] + 1) / readings.length) * 100}%`,
              }}
            />
          )}
          <span className={styles.most}>{most}</span>
          <div className={styles.reading} aria-hidden="true">
            {reading === undefined ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the places of an axis keep their order
              axis.map((label, index) => <span key={index}>{label}</span>)
            ) : (
              <span>{reading}</span>
            )}
          </div>
        </div>
      )}
      {!isTable && legend}
      <table className={isTable ? styles.table : styles.printed}>
        <thead>
          <tr>
            {columns.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name = '', ...values]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {values.map((value, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: values are below their headings
                <td key={index}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

function ordered(one: number, other: number): Picked {
  return one < other ? [one, other] : [other, one];
}
