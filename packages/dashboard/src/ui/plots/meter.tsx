import type { ReactNode } from 'react';
import styles from './meter.module.css';

/** Shows the used part of an allowance, in figures and as a bar; without a limit there is no bar. */
export function Meter({
  label,
  used,
  limit,
  usedWords,
  limitWords,
  children,
}: {
  label: string;
  used: number;
  /** Null: there is none. */
  limit: number | null;
  usedWords: string;
  limitWords: string;
  /** The explanation, where people need one. */
  children?: ReactNode;
}) {
  const share = limit === null ? null : Math.min(1, used / Math.max(1, limit));
  const level = share === null || share < 0.8 ? 'plenty' : share < 1 ? 'little' : 'none';
  return (
    <div className={styles.meter} data-level={level}>
      <p className={styles.label}>{label}</p>
      <p className={styles.figures}>
        <strong>{usedWords}</strong> <span>/ {limitWords}</span>
      </p>
      {share !== null && (
        <div
          className={styles.bar}
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={limit ?? 0}
          aria-valuenow={Math.min(used, limit ?? 0)}
          aria-valuetext={`${usedWords} of ${limitWords}`}
        >
          <span style={{ inlineSize: `${(share * 100).toFixed(1)}%` }} />
        </div>
      )}
      {children !== undefined && children !== null && children !== false && (
        <div className={styles.words}>{children}</div>
      )}
    </div>
  );
}
