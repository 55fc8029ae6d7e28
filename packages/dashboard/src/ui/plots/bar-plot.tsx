import type { ReactNode } from 'react';
import styles from './bar-plot.module.css';
import { PLOT_WIDTH, PlotFigure, type PlotRange } from './plot-figure.tsx';

interface Bar {
  value: number;
  /** The part of the value that is lighter. */
  part?: number;
  label: string;
}

/** Something that happened at a place between the bars, from 0 to 1. */
export interface PlotMark {
  at: number;
  /** The end of the band; null is a moment. */
  until: number | null;
  kind: 'line' | 'band';
  /** The text of its flag: "4.18.3". */
  name: string;
  /** The same as a link. */
  link?: ReactNode;
  /** The plural noun for a flag that holds several: "deploys". */
  plural: string;
  label: string;
}

const HEIGHT = 96;
/** The share of the plot that the words of a flag may take. */
const FLAG_SHARE = 0.14;
/** On a phone, where as many letters need more of it. */
const FLAG_SHARE_NARROW = 0.24;
const NARROW = '(width < 600px)';

/** Counts over time with a zero line. */
export function BarPlot({
  caption,
  bars,
  marks,
  unit,
  axis,
  controls,
  range,
  isLow = false,
}: {
  caption: string;
  bars: readonly Bar[];
  marks: readonly PlotMark[];
  /** The unit of the values: "occurrences". */
  unit: string;
  axis: readonly string[];
  controls?: ReactNode;
  range?: PlotRange;
  /** For a place beside other figures. */
  isLow?: boolean;
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const step = PLOT_WIDTH / Math.max(1, bars.length);
  const flagShare = matchMedia(NARROW).matches ? FLAG_SHARE_NARROW : FLAG_SHARE;
  return (
    <PlotFigure
      caption={caption}
      controls={controls}
      range={range}
      readings={bars.map(({ label, value }) => `${label}: ${value} ${unit}`)}
      axis={axis}
      most={most.toLocaleString('en')}
      columns={['Time', unit]}
      rows={bars.filter(({ value }) => value > 0).map(({ label, value }) => [label, String(value)])}
      flags={
        <ul className={styles.flags}>
          {flagsOf(marks, flagShare).map(({ at, name, label, kind, link }) => (
            <li
              key={`${at} ${label}`}
              data-kind={kind}
              data-end={at > 1 - flagShare}
              style={{ insetInlineStart: `${(at * 100).toFixed(1)}%` }}
              title={label}
            >
              {link ?? <span aria-hidden="true">{name}</span>}
              <span className="visually-hidden">{label}</span>
            </li>
          ))}
        </ul>
      }
    >
      {(at) => (
        <svg
          className={styles.drawing}
          data-low={isLow}
          viewBox={`0 0 ${PLOT_WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {marks
            .filter(({ kind }) => kind === 'band')
            .map((mark) => (
              <rect
                key={`${mark.at} ${mark.label}`}
                className={styles.band}
                x={mark.at * PLOT_WIDTH}
                y={0}
                width={Math.max(4, ((mark.until ?? mark.at) - mark.at) * PLOT_WIDTH)}
                height={HEIGHT}
              />
            ))}
          {at !== null && <rect className={styles.cursor} x={at * step} y={0} width={step} height={HEIGHT} />}
          <path
            className={styles.bars}
            d={pathOf(
              bars.map(({ value }) => value / most),
              step,
            )}
          />
          <path
            className={styles.part}
            d={pathOf(
              bars.map(({ part = 0 }) => part / most),
              step,
            )}
          />
          <path className={styles.ground} d={`M0 ${HEIGHT}h${PLOT_WIDTH}`} />
          {marks
            .filter(({ kind }) => kind === 'line')
            .map((mark) => (
              <path
                key={`${mark.at} ${mark.label}`}
                className={styles.line}
                d={`M${(mark.at * PLOT_WIDTH).toFixed(1)} 0v${HEIGHT}`}
              />
            ))}
        </svg>
      )}
    </PlotFigure>
  );
}

interface Flag {
  at: number;
  name: string;
  label: string;
  kind: PlotMark['kind'];
  link?: ReactNode;
}

/** One for each mark, or one for those whose words would cover each other. */
export function flagsOf(marks: readonly PlotMark[], flagShare = FLAG_SHARE): Flag[] {
  const groups: PlotMark[][] = [];
  for (const mark of marks.toSorted((a, b) => a.at - b.at)) {
    const group = groups.at(-1);
    const before = group?.[0];
    if (group !== undefined && before !== undefined && mark.at - before.at < flagShare) group.push(mark);
    else groups.push([mark]);
  }
  return groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const isSame = group.every(({ plural }) => plural === first.plural);
    return [
      {
        at: first.at,
        name: group.length === 1 ? first.name : `${group.length} ${isSame ? first.plural : 'marks'}`,
        label: group.map(({ label }) => label).join(', '),
        link: group.length === 1 ? first.link : undefined,
        kind: group.every(({ kind }) => kind === 'band') ? ('band' as const) : ('line' as const),
      },
    ];
  });
}

function pathOf(shares: readonly number[], step: number): string {
  const gap = Math.min(2, step * 0.2);
  return shares
    .map((share, index) => {
      if (share === 0) return '';
      const height = Math.max(3, share * (HEIGHT - 4));
      return `M${(index * step + gap / 2).toFixed(1)} ${HEIGHT}v${-height.toFixed(1)}h${(step - gap).toFixed(1)}v${height.toFixed(1)}z`;
    })
    .join('');
}
