import { retryWebhookDelivery, type Webhook, type WebhookDelivery } from '@culprit/contract/alerts/webhooks';
import type { Project } from '@culprit/contract/workspace/projects';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { billingQuery, meterOf } from '../api/billing.ts';
import { problemText } from '../api/problem-words.ts';
import { useFeature } from '../api/server.ts';
import { call } from '../api/transport.ts';
import { plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { dateOnly } from '../format/times.ts';
import { PATTERNS } from '../paths.ts';
import { DeliveryMark, deliveryErrorWords } from '../shell/parts/delivery.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { NextPageButton } from '../shell/parts/next-page-button.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { Segments } from '../ui/fields/segments.tsx';
import { DeliveryDetail } from './delivery-detail.tsx';
import styles from './webhook-deliveries.module.css';
import { webhookDeliveriesQuery } from './webhooks-query.ts';

const route = getRouteApi(`/frame${PATTERNS.webhook}`);

/** Shows the deliveries of the last 30 days, and their outcomes. */
export function WebhookDeliveries({ project, webhook }: { project: Project; webhook: Webhook }) {
  const { status, delivery: openId } = route.useSearch();
  const navigate = useNavigate();
  const show = (search: { status?: string; delivery?: string }) =>
    void navigate({ to: '.', search, replace: true, resetScroll: false });
  const isFailed = status === 'failed';
  const kept = isFailed ? { status: 'failed' } : {};
  const query = webhookDeliveriesQuery(webhook.webhook_id, isFailed ? 'failed' : null);
  const list = useInfiniteQuery(query);
  const { data, error, refetch } = list;
  const rows = data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  return (
    <section className={styles.section} aria-labelledby="deliveries">
      <div className={styles.head}>
        <h2 id="deliveries">Deliveries</h2>
        <Segments
          label="Which deliveries"
          choices={[
            { value: 'all', label: 'All' },
            { value: 'failed', label: 'Failed' },
          ]}
          value={isFailed ? 'failed' : 'all'}
          onChange={(chosen) => show(chosen === 'failed' ? { status: 'failed' } : {})}
        />
        <Allowance project={project} />
      </div>
      {data === undefined && <LoadingPart error={error} retry={refetch} rows={4} />}
      {data !== undefined && rows.length === 0 && (
        <p className={styles.soft}>
          {isFailed ? 'No failed deliveries in the last 30 days.' : 'Nothing sent yet. Send a test.'}
        </p>
      )}
      {rows.length > 0 && (
        <ul className={styles.list} aria-label="Deliveries">
          {rows.map((delivery) => (
            <DeliveryLine
              key={delivery.delivery_id}
              delivery={delivery}
              isOpen={delivery.delivery_id === openId}
              onToggle={(isOpen) => show(isOpen ? { ...kept, delivery: delivery.delivery_id } : kept)}
            />
          ))}
        </ul>
      )}
      <NextPageButton list={list} />
    </section>
  );
}

function DeliveryLine({
  delivery,
  isOpen,
  onToggle,
}: {
  delivery: WebhookDelivery;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
}) {
  const hasDetail = useFeature('delivery_detail');
  const { status, event_type: event, last_error: error, last_response_code: code } = delivery;
  const { attempt_count: attempts, next_attempt_at: next, created_at: at } = delivery;
  return (
    <li className={styles.delivery}>
      <div className={styles.line}>
        <DeliveryMark status={status} />
        <code className={styles.event}>{event}</code>
        <span className={styles.answer}>
          {error === null ? (code === null ? '' : `Answered ${code}`) : deliveryErrorWords(error)}
        </span>
        <span className={styles.when}>
          {status === 'retrying' && next !== null ? (
            <>
              attempt {attempts + 1} <Time iso={next} form="relative" />
            </>
          ) : (
            <>
              {attempts > 1 && `${plural(attempts, 'attempt')}, `}
              <Time iso={at} />
            </>
          )}
        </span>
        <span className={styles.buttons}>
          <SendAgain delivery={delivery} />
          {hasDetail && (
            <Button kind="quiet" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
              {isOpen ? 'Hide details' : 'Details'}
            </Button>
          )}
        </span>
      </div>
      {isOpen && <DeliveryDetail delivery={delivery} />}
    </li>
  );
}

function SendAgain({ delivery }: { delivery: WebhookDelivery }) {
  const queryClient = useQueryClient();
  const retry = useMutation({
    mutationFn: async () => {
      const params = { id: delivery.webhook_id, did: delivery.delivery_id };
      return await call(retryWebhookDelivery, { params });
    },
    onSuccess: async () => {
      showToast('Sent again, with the same body and id');
      await queryClient.invalidateQueries({ queryKey: ['listWebhookDeliveries', delivery.webhook_id] });
    },
    onError: (error) => showToast(problemText(error)),
  });
  return (
    <Button
      kind="quiet"
      isBusy={retry.isPending}
      refusal={delivery.status === 'pending' ? 'Its first attempt is due now' : null}
      onClick={() => retry.mutate()}
    >
      Send again
    </Button>
  );
}

/** Shows the rest of the month's allowance, which the owner alone may read. */
function Allowance({ project }: { project: Project }) {
  const { data } = useQuery({ ...billingQuery, enabled: project.effective_role === 'owner' });
  const meter = data === undefined ? null : meterOf(data.allowances.monthly_webhook_deliveries);
  if (data === undefined || meter === null || meter.limit === null) return null;
  return (
    <p className={styles.allowance}>
      {meter.usedWords} of {meter.limitWords} deliveries until {dateOnly(data.usage_window.ends_at)}
    </p>
  );
}
