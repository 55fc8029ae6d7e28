import type { ReactNode } from 'react';
import { Icon } from '../icon.tsx';
import styles from './record-list.module.css';

/** Records as lines of a sentence each, with what they are doing at the end. */
export function RecordList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.list} aria-label={label}>
      {children}
    </ul>
  );
}

/** One of them: its sentence, or its name and its sentence, facts below, and controls at the end. */
export function RecordLine({
  title,
  sentence,
  facts,
  controls,
  icon,
  isDim = false,
}: {
  title: ReactNode;
  /** The sentence about what the record does, if its title is a name. */
  sentence?: ReactNode;
  facts?: ReactNode;
  controls?: ReactNode;
  /** The icon of the record's kind, if the lines have several. */
  icon?: string;
  /** True for a record that is disabled or has ended. */
  isDim?: boolean;
}) {
  return (
    <li className={styles.line} data-dim={isDim}>
      {icon !== undefined && (
        <span className={styles.mark}>
          <Icon path={icon} />
        </span>
      )}
      <div className={styles.words}>
        <div className={styles.title}>{title}</div>
        {sentence !== undefined && <div className={styles.facts}>{sentence}</div>}
        {facts !== undefined && <div className={styles.facts}>{facts}</div>}
      </div>
      {controls !== undefined && <div className={styles.controls}>{controls}</div>}
    </li>
  );
}
