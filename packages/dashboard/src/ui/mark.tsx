import styles from './mark.module.css';

/** The mark and the name. */
export function Mark({ hasName = true, size = 20 }: { hasName?: boolean; size?: number }) {
  return (
    <span className={styles.mark}>
      <svg viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
        <path d="M1 12h3v8H1zM5.75 9h3v11h-3zM15.25 10.5h3V20h-3zM20 13.5h3V20h-3z" fill="currentColor" />
        <path d="M10.5 3h3v19h-3z" className={styles.forward} />
      </svg>
      {hasName && <span>Culprit</span>}
    </span>
  );
}
