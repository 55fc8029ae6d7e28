import type { OperatorHealth } from '@culprit/contract/workspace/operator';
import { duration, fullCount } from '../format/numbers.ts';
import { Section } from '../ui/section.tsx';
import styles from './operator.module.css';

/** Every lane of the work behind the API, most of which are empty at most times. */
export function Queues({ queues }: { queues: OperatorHealth['queues'] }) {
  return (
    <Section id="queues" title="Queues" note="Waiting includes jobs scheduled for later.">
      <ul className={styles.lanes} aria-label="Queues">
        {queues.map(({ lane, waiting, due, oldest_due_seconds: seconds }) => (
          <li key={lane} data-empty={waiting === 0}>
            <span>{lane.replaceAll('-', ' ')}</span>
            <span className={styles.load}>
              {fullCount(waiting)} waiting, {fullCount(due)} due
              {due > 0 && ` for ${duration(seconds * 1000)}`}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
