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
