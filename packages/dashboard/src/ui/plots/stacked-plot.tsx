import plot from './bar-plot.module.css';
import { PLOT_WIDTH, PlotFigure } from './plot-figure.tsx';
import styles from './stacked-plot.module.css';

/** The look of a part of each bar; pattern and place distinguish the parts without colour too. */
export type StackTone = 'main' | 'hatched' | 'alarm' | 'outline';

interface Stack {
  label: string;
  /** One value for each series, in their order. */
  values: readonly number[];
}

const HEIGHT = 120;
const GAP_MAX = 2;

/** Bars made of parts that add up, over time. */
export function StackedPlot({
  caption,
  series,
  bars,
  axis,
}: {
  caption: string;
  series: readonly { label: string; tone: StackTone }[];
  bars: readonly Stack[];
  axis: readonly string[];
}) {
  const most = Math.max(1, ...bars.map(({ values }) => sum(values)));
  const step = PLOT_WIDTH / Math.max(1, bars.length);
  const wordsOf = ({ label, values }: Stack) => {
    const parts = series.map((each, index) => ({ label: each.label, value: values[index] ?? 0 }));
    const shown = parts.filter(({ value }, index) => value > 0 || index === 0);
    return `${label}: ${shown.map((part) => `${part.value} ${part.label}`).join(', ')}`;
  };
  return (
    <PlotFigure
      caption={caption}
      readings={bars.map(wordsOf)}
      axis={axis}
      most={most.toLocaleString('en')}
      columns={['Time', ...series.map(({ label }) => label)]}
      rows={bars
        .filter(({ values }) => sum(values) > 0)
        .map(({ label, values }) => [label, ...values.map(String)])}
      legend={
        <ul className={styles.legend}>
          {series.map(({ label, tone }) => (
            <li key={label}>
              <svg className={styles.swatch} viewBox="0 0 12 12" aria-hidden="true">
                <rect x="0.5" y="0.5" width="11" height="11" className={styles[tone]} />
              </svg>
              {label}
            </li>
          ))}
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
          <defs>
            <pattern id="hatching" width="5" height="5" patternUnits="userSpaceOnUse">
              <path d="M0 5L5 0" className={styles.hatch} />
            </pattern>
          </defs>
          {at !== null && <rect className={plot.cursor} x={at * step} y={0} width={step} height={HEIGHT} />}
          {series.map(({ label, tone }, index) => (
            <path key={label} className={styles[tone]} d={pathOf(bars, index, most, step)} />
          ))}
          <path className={plot.ground} d={`M0 ${HEIGHT}h${PLOT_WIDTH}`} />
        </svg>
      )}
    </PlotFigure>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

/** The parts of one series in one path, each on top of those before. */
function pathOf(bars: readonly Stack[], index: number, most: number, step: number): string {
  const gap = Math.min(GAP_MAX, step * 0.2);
  const unit = (HEIGHT - 4) / most;
  return bars
    .map(({ values }, place) => {
      const value = values[index] ?? 0;
      if (value === 0) return '';
      const bottom = HEIGHT - sum(values.slice(0, index)) * unit;
      const height = Math.max(2, value * unit);
      const width = (step - gap).toFixed(1);
      return `M${(place * step + gap / 2).toFixed(1)} ${bottom.toFixed(1)}v${(-height).toFixed(1)}h${width}v${height.toFixed(1)}z`;
    })
    .join('');
}
