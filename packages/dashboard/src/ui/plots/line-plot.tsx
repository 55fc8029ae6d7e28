import type { ReactNode } from 'react';
import styles from './line-plot.module.css';
import { PLOT_WIDTH, PlotFigure } from './plot-figure.tsx';

export interface LinePoint {
  label: string;
  /** The values of the lines, in their order; null is a gap. */
  values: readonly (number | null)[];
  /** True if a problem occurred here, which is described below the lines. */
  isMarked: boolean;
}

interface Line {
  name: string;
  kind: 'main' | 'second';
}

const HEIGHT = 140;
const MARK = 8;

/** Values over time from zero on. Gaps stay gaps: nothing is made up between two points. */
export function LinePlot({
  caption,
  points,
  lines,
  markName,
  axis,
  unit,
  controls,
}: {
  caption: string;
  points: readonly LinePoint[];
  lines: readonly Line[];
  markName: string;
  axis: readonly string[];
  /** Returns a value as text. */
  unit: (value: number | null) => string;
  controls?: ReactNode;
}) {
  const most = Math.max(1, ...points.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const step = PLOT_WIDTH / Math.max(1, points.length);
  const ground = HEIGHT - MARK - 2;
  const y = (value: number) => ground - (value / most) * (ground - 4);
  const wordsOf = (point: LinePoint) => [
    ...lines.map(({ name }, index) => `${name} ${unit(point.values[index] ?? null)}`),
    ...(point.isMarked ? [markName] : []),
  ];
  return (
    <PlotFigure
      caption={caption}
      controls={controls}
      readings={points.map((point) => `${point.label}: ${wordsOf(point).join(', ')}`)}
      axis={axis}
      most={unit(most)}
      columns={['Time', ...lines.map(({ name }) => name), markName]}
      rows={points
        .filter(({ values, isMarked }) => isMarked || values.some((value) => value !== null))
        .map((point) => [
          point.label,
          ...lines.map((_line, index) => unit(point.values[index] ?? null)),
          point.isMarked ? 'yes' : '',
        ])}
      legend={
        <ul className={styles.legend}>
          {lines.map(({ name, kind }) => (
            <li key={name} data-kind={kind}>
              {name}
            </li>
          ))}
          <li data-kind="mark">{markName}</li>
        </ul>
      }
    >
      {(at) => (
        <svg
          className={styles.drawing}
          viewBox={`0 0 ${PLOT_WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {at !== null && <rect className={styles.cursor} x={at * step} y={0} width={step} height={ground} />}
          {[0.5, 1].map((share) => (
            <path key={share} className={styles.grid} d={`M0 ${y(most * share)}h${PLOT_WIDTH}`} />
          ))}
          <path className={styles.ground} d={`M0 ${ground}h${PLOT_WIDTH}`} />
          {lines.map(({ name, kind }, index) => (
            <path
              key={name}
              className={styles[kind]}
              d={pathOf(
                points.map(({ values }) => values[index] ?? null),
                step,
                y,
              )}
            />
          ))}
          <path
            className={styles.marks}
            d={points
              .map(({ isMarked }, index) =>
                isMarked
                  ? `M${(index * step).toFixed(1)} ${ground + 2}h${Math.max(3, step).toFixed(1)}v${MARK}h${-Math.max(3, step).toFixed(1)}z`
                  : '',
              )
              .join('')}
          />
        </svg>
      )}
    </PlotFigure>
  );
}

/** Returns a line through the points; a point without neighbours is a short dash. */
function pathOf(values: readonly (number | null)[], step: number, y: (value: number) => number): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const place = `${((index + 0.5) * step).toFixed(1)} ${y(value).toFixed(1)}`;
      if ((values[index - 1] ?? null) !== null) return `L${place}`;
      const isAlone = (values[index + 1] ?? null) === null;
      return `M${place}${isAlone ? `h${Math.max(2, step * 0.6).toFixed(1)}` : ''}`;
    })
    .join('');
}
