import type { ReactNode } from 'react';
import styles from './effect-panel.module.css';

/**
 * Shows the effect of an editor's values, in a sentence and in figures; it keeps its height while the figures are read.
 */
export function EffectPanel({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className={styles.panel} aria-label={label}>
      {children}
    </section>
  );
}
