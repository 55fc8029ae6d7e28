import type { FateCounts } from '@culprit/contract/events/event-fates';
import type { OperatorHealth } from '@culprit/contract/workspace/operator';
import type { ReactNode } from 'react';
import { bytes, duration, fullCount, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { FactList } from '../ui/lists/fact-list.tsx';
import { Sparkline } from '../ui/plots/sparkline.tsx';
import { Section } from '../ui/section.tsx';
import styles from './operator.module.css';

/** In the order of the sum. */
const FATE_LABELS: readonly (readonly [fate: Exclude<keyof FateCounts, 'submitted'>, label: string])[] = [
  ['processed', 'processed'],
  ['demoted', 'kept without incident'],
  ['duplicate', 'duplicates'],
  ['dropped', 'discarded'],
  ['sampled_out', 'sampled out'],
  ['refused_by_policy', 'outside the preset'],
  ['rate_limited', 'rate limited'],
  ['invalid', 'invalid'],
  ['dead_letter', 'dead letters'],
  ['waiting', 'waiting'],
];

/** Every figure, one subject to a line. */
export function Figures({ health }: { health: OperatorHealth }) {
  const { disk, database, objects } = health;
  return (
    <Section id="figures" title="Figures">
      <FactList
        facts={[
          ['Canary', <Canary key="canary" canary={health.canary} />],
          ['Queues', <QueueSum key="queues" queues={health.queues} />],
          ['Events in 24 h', <Fates key="fates" fates={health.fates_24h} letters={health.dead_letters} />],
          ...(disk === null
            ? []
            : [
                [
                  'Disk',
                  <Parts key="disk">
                    <span>
                      <strong>{bytes(disk.free_bytes)}</strong> free of {bytes(disk.total_bytes)}
                    </span>
                    <span>guard at {bytes(disk.guard_bytes)}</span>
                  </Parts>,
                ] as const,
              ]),
          [
            'Database',
            <Parts key="database">
              <strong>{bytes(database.size_bytes)}</strong>
              <span>oldest transaction {duration(database.oldest_transaction_seconds * 1000)}</span>
            </Parts>,
          ],
          [
            'Objects',
            <Parts key="objects">
              <strong>{bytes(objects.size_bytes)}</strong>
              <span>{plural(objects.failures_1h, 'failure')} in the last hour</span>
            </Parts>,
          ],
          ['Backup', <Backup key="backup" backup={health.backup} />],
        ]}
      />
    </Section>
  );
}

function Parts({ children }: { children: ReactNode }) {
  return <span className={styles.parts}>{children}</span>;
}

function Canary({ canary }: { canary: OperatorHealth['canary'] }) {
  if (canary === null) return 'disabled, or not sent yet';
  return (
    <Parts>
      <span>
        event to incident <strong>{duration(canary.incident_ms)}</strong>
      </span>
      <span>
        to webhook <strong>{duration(canary.webhook_ms)}</strong>
      </span>
      <span>
        last <Time iso={canary.last_at} />
      </span>
      <span data-lost={canary.failures_24h > 0}>{plural(canary.failures_24h, 'failure')} in 24 h</span>
      {canary.series.some((slowest) => slowest > 0) && (
        <span className={styles.plot} title="Slowest time to the webhook by hour">
          <Sparkline counts={canary.series} />
        </span>
      )}
    </Parts>
  );
}

/** Shows a summary of the table below. */
function QueueSum({ queues }: { queues: OperatorHealth['queues'] }) {
  const busy = queues.filter(({ waiting }) => waiting > 0);
  const oldestSeconds = Math.max(0, ...queues.map(({ oldest_due_seconds: seconds }) => seconds));
  return (
    <Parts>
      {busy.length === 0 && <span>empty</span>}
      {busy.map(({ lane, waiting, due }) => (
        <span key={lane}>
          {lane.replaceAll('-', ' ')} <strong>{fullCount(due)}</strong> due
          {waiting > due && `, ${fullCount(waiting - due)} later`}
        </span>
      ))}
      <span>oldest due {duration(oldestSeconds * 1000)}</span>
    </Parts>
  );
}

/** The whole sum: what was submitted, and what became of it. */
function Fates({ fates, letters }: { fates: FateCounts; letters: number }) {
  const parts = FATE_LABELS.filter(([fate]) => fate === 'processed' || fates[fate] > 0);
  return (
    <Parts>
      <span>
        <strong>{fullCount(fates.submitted)}</strong> submitted
        {parts.map(([fate, label], index) => (
          <span key={fate}>
            {index === 0 ? ' = ' : ' + '}
            <strong>{fullCount(fates[fate])}</strong> {label}
          </span>
        ))}
      </span>
      <span data-lost={letters > 0}>{plural(letters, 'dead letter')}</span>
    </Parts>
  );
}

function Backup({ backup }: { backup: OperatorHealth['backup'] }) {
  if (backup === null) return 'no backup of this database exists';
  return (
    <>
      <Parts>
        <span>
          last <Time iso={backup.finished_at} />
        </span>
        <span data-lost={backup.missing_objects > 0}>
          {backup.missing_objects === 0 ? 'whole' : `lacks ${plural(backup.missing_objects, 'object')}`}
        </span>
        <strong>{bytes(backup.size_bytes)}</strong>
        <code>{backup.directory}</code>
      </Parts>
      <details className={styles.restore}>
        <summary>How to restore</summary>
        <p>Stop the server, configure an empty data directory or an empty database, then run:</p>
        <CodeBlock
          code={`npm run -s admin -- restore --from ${shellWord(backup.directory)}`}
          label="command that restores"
          isWrapped
        />
      </details>
    </>
  );
}

function shellWord(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
