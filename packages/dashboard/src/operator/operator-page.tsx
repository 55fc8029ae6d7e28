import type { OperatorHealth } from '@culprit/contract/workspace/operator';
import { useQuery } from '@tanstack/react-query';
import { operatorHealthQuery } from '../api/operator.ts';
import { codeOf } from '../api/transport.ts';
import { duration, fullCount } from '../format/numbers.ts';
import { OwnScreen } from '../shell/frame/own-screen.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Notice } from '../ui/notice.tsx';
import { Section } from '../ui/section.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { Figures } from './figures.tsx';
import { Findings } from './findings.tsx';
import styles from './operator.module.css';
import { Processes } from './processes.tsx';
import { Standing } from './standing.tsx';

/** The screen of the installation: its health, late or lost events, and the remedies. */
export function OperatorPage() {
  const { data, error, refetch } = useQuery(operatorHealthQuery);
  const isOver = codeOf(error) === 'not_found';
  return (
    <OwnScreen title="Operator" intro={data === undefined || isOver ? undefined : <Standing health={data} />}>
      {data === undefined && error === null && <SkeletonRows rows={10} />}
      {isOver && (
        <Notice title="You are no longer an operator of this server.">
          The setting <code>CULPRIT_OPERATORS</code> lists the operators.
        </Notice>
      )}
      {data === undefined && error !== null && !isOver && (
        <PartError error={error} retry={() => void refetch()} />
      )}
      {data !== undefined && !isOver && <Health health={data} />}
    </OwnScreen>
  );
}

function Health({ health }: { health: OperatorHealth }) {
  return (
    <>
      <Findings findings={health.findings} />
      <Figures health={health} />
      {health.dead_letters > 0 && <DeadLetters />}
      <Processes processes={health.processes} />
      <Queues queues={health.queues} />
    </>
  );
}

/** Every lane of the work behind the API, most of which are empty at most times. */
function Queues({ queues }: { queues: OperatorHealth['queues'] }) {
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
