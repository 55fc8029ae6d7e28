import { visibleLine } from '../../format/event-text.ts';
import styles from './service-name.module.css';

const TINTS = 8;

/** The name of a service, with a square whose colour is the same wherever the service is shown. */
export function ServiceName({ name }: { name: string }) {
  return (
    <span className={styles.service}>
      <span
        className={styles.square}
        style={{ background: `var(--tint-${tintOf(name)})` }}
        aria-hidden="true"
      />
      {visibleLine(name)}
    </span>
  );
}

function tintOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash % TINTS;
}
