import type { Ref, SelectHTMLAttributes } from 'react';
import styles from './select.module.css';

export type SelectProps = SelectHTMLAttributes<HTMLSelectElement> & {
  ref?: Ref<HTMLSelectElement>;
  /** For a row of a table. */
  isSmall?: boolean;
};

/** A choice of one among few: its list is drawn as a menu where the browser can, and is the browser's own elsewhere. */
export function Select({ isSmall = false, ...select }: SelectProps) {
  return <select {...select} className={styles.select} data-small={isSmall} />;
}
