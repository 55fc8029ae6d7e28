import { problemText } from '../../api/problem-words.ts';
import styles from './action-error.module.css';

/** Shows why an action failed; read out as it appears. */
export function ActionError({ error }: { error: Error | null }) {
  if (error === null) return null;
  return (
    <p className={styles.error} role="alert">
      {problemText(error)}
    </p>
  );
}
