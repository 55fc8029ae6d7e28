import type { AlertDelivery } from '@culprit/contract/alerts/alert-deliveries';
import type { Alert } from '@culprit/contract/alerts/alerts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { incidentQuery } from '../api/incidents.ts';
import { visibleLine } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { DeliveryMark, deliveryErrorWords } from '../shell/parts/delivery.tsx';
import link from '../shell/parts/link.module.css';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { NextPageButton } from '../shell/parts/next-page-button.tsx';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
import styles from './alert-form.module.css';
import { alertDeliveriesQuery } from './alerts-query.ts';

/** Shows the rule's deliveries of the last 30 days. */
export function AlertDeliveries({ alert }: { alert: Alert }) {
  const deliveries = useInfiniteQuery(alertDeliveriesQuery(alert.alert_id));
  const { data, error, refetch } = deliveries;
  const rows = data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <section className={styles.section}>
      <h2>Sent</h2>
      {data === undefined && <LoadingPart error={error} retry={refetch} rows={3} />}
      {data !== undefined && rows.length === 0 && (
        <p className={styles.soft}>Nothing sent yet. Send a test.</p>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Messages of this rule"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ alert_delivery_id: id }) => id}
        />
      )}
      <NextPageButton list={deliveries} />
    </section>
  );
}

/** The incident by its title; one that is gone, or not read yet, by a plain word. */
function IncidentLink({ id }: { id: string }) {
  const { data: incident } = useQuery(incidentQuery(id));
  return (
    <Link className={link.link} to={pathTo('incident', { id })}>
      <bdi translate="no">{incident === undefined ? 'an incident' : visibleLine(incident.title)}</bdi>
    </Link>
  );
}

const COLUMNS: Column<AlertDelivery>[] = [
  { title: 'State', cell: ({ status }) => <DeliveryMark status={status} /> },
  {
    title: 'About',
    cell: ({ incident_id: id }) => (id === null ? 'a test' : <IncidentLink id={id} />),
  },
  {
    title: 'Answer',
    cell: ({ last_error: error, last_response_code: code }) =>
      error === null ? (code ?? '–') : deliveryErrorWords(error),
  },
  {
    title: 'Attempts',
    isNumber: true,
    cell: ({ attempt_count: attempts }) => attempts,
  },
  {
    title: 'When',
    cell: ({ created_at: at, next_attempt_at: next, status }) =>
      status === 'retrying' && next !== null ? (
        <>
          again <Time iso={next} form="relative" />
        </>
      ) : (
        <Time iso={at} />
      ),
  },
];
