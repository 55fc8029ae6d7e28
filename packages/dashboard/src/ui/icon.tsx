import styles from './icon.module.css';

/** A pictogram of 16 px. The control that holds it says what it means. */
export function Icon({ path, size = 16 }: { path: string; size?: number }) {
  return (
    <svg className={styles.icon} viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <path d={path} fill="currentColor" />
    </svg>
  );
}
