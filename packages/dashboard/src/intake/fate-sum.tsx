import type { FateCounts } from '@culprit/contract/events/event-fates';
import { fullCount } from '../format/numbers.ts';
import styles from './fate-sum.module.css';
import { partsOf } from './fates.ts';

/** The whole sum in one line: what was submitted, and what became of it. */
export function FateSum({ totals }: { totals: FateCounts }) {
  return (
    <p className={styles.sum}>
      <span className={styles.part} data-group="all">
        <strong>{fullCount(totals.submitted)}</strong> submitted
      </span>
      {partsOf(totals).map(({ fate, events }, index) => (
        <span key={fate.word} className={styles.part} data-group={fate.group}>
          <span className={styles.sign}>{index === 0 ? '=' : '+'}</span>
          <strong>{fullCount(events)}</strong> {fate.label}
        </span>
      ))}
    </p>
  );
}
