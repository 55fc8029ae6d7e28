import styles from './sparkline.module.css';

const WIDTH = 96;
const HEIGHT = 20;
const GAP = 1;

/**
 * Shows counts over time as bars in one path, so that a thousand of them are drawn quickly. Its words are beside it.
 */
export function Sparkline({ counts, width = WIDTH }: { counts: readonly number[]; width?: number }) {
  return (
    <svg
      className={styles.plot}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
      aria-hidden="true"
    >
      <path d={`M0 ${HEIGHT - 0.5}h${width}`} className={styles.ground} />
      <path d={barsOf(counts, width)} className={styles.bars} />
    </svg>
  );
}

function barsOf(counts: readonly number[], width: number): string {
  const most = Math.max(1, ...counts);
  const step = width / Math.max(1, counts.length);
  return counts
    .map((count, index) => {
      if (count === 0) return '';
      const height = Math.max(2, Math.round((count / most) * HEIGHT));
      return `M${(index * step).toFixed(1)} ${HEIGHT}v${-height}h${(step - GAP).toFixed(1)}v${height}z`;
    })
    .join('');
}
