import type { DeliveryAttempt, WebhookDelivery } from '@culprit/contract/alerts/webhooks';
import { useQuery } from '@tanstack/react-query';
import { visibleLine, visibleText } from '../format/event-text.ts';
import { duration } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { deliveryErrorWords } from '../shell/parts/delivery.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import styles from './webhook-deliveries.module.css';
import { deliveryDetailQuery } from './webhooks-query.ts';

/** The attempts, the headers and the very bytes of a delivery. */
export function DeliveryDetail({ delivery }: { delivery: WebhookDelivery }) {
  const { webhook_id: id, delivery_id: did, attempt_count: attempts, status } = delivery;
  const { data, error, refetch } = useQuery(deliveryDetailQuery(id, did, attempts, status));
  if (error !== null) return <PartError error={error} retry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows rows={4} height="32px" />;
  return (
    <div className={styles.detail}>
      {data.attempts.length > 0 && (
        <DataTable
          label="Attempts"
          rows={data.attempts}
          columns={COLUMNS}
          keyOf={({ started_at: at }) => at}
        />
      )}
      <h3>Body</h3>
      <CodeBlock code={data.body} label="body" isWrapped>
        {visibleText(data.body)}
      </CodeBlock>
      <h3>Headers</h3>
      <dl className={styles.names}>
        {Object.entries(data.headers).map(([name, value]) => (
          <div key={name} className={styles.header}>
            <dt>{name}</dt>
            <dd translate="no">{visibleLine(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const COLUMNS: Column<DeliveryAttempt>[] = [
  { title: 'Started', cell: ({ started_at: at }) => <Time iso={at} form="exact" /> },
  {
    title: 'Answer',
    cell: ({ error, response_code: code }) =>
      error === null ? `Answered ${code ?? ''}` : deliveryErrorWords(error),
  },
  { title: 'Duration', isNumber: true, cell: ({ duration_ms: ms }) => duration(ms) },
];
