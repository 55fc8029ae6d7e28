import styles from './skeleton.module.css';

/** Bars in the place of rows that are being read; they show after a moment, so that quick answers do not flicker. */
export function SkeletonRows({ rows, height = 'var(--row)' }: { rows: number; height?: string }) {
  return (
    <div className={styles.rows} aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike and never change places
        <div key={index} className={styles.row} style={{ blockSize: height }}>
          <span className={styles.bar} style={{ inlineSize: `${62 - ((index * 17) % 30)}%` }} />
        </div>
      ))}
    </div>
  );
}

/** One bar in the place of a heading, a figure or a plot. */
export function SkeletonBar({ width, height = '16px' }: { width: string; height?: string }) {
  return (
    <span className={styles.single} aria-hidden="true" style={{ inlineSize: width, blockSize: height }} />
  );
}
