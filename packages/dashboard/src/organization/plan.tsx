import type { ServerDescription } from '@culprit/contract/endpoints/server';
import {
  type BillingSummary,
  createCheckout,
  openBillingPortal,
  startTrial,
} from '@culprit/contract/workspace/billing';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { billingQuery } from '../api/billing.ts';
import { sessionQuery } from '../api/session.ts';
import { call } from '../api/transport.ts';
import { fullCount, plural } from '../format/numbers.ts';
import { absoluteTime } from '../format/times.ts';
import { ActionError } from '../shell/parts/action-error.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { FactList } from '../ui/lists/fact-list.tsx';
import { Section, SectionText } from '../ui/section.tsx';

const PLANS: Readonly<Record<BillingSummary['plan'], string>> = { free: 'Free', solo: 'Solo', team: 'Team' };
const STATES: Readonly<Record<NonNullable<BillingSummary['billing_state']>, string>> = {
  active: 'paid',
  past_due: 'a payment is late',
  canceled: 'cancelled',
  unpaid: 'not paid',
  incomplete: 'the purchase is not complete',
  admin_override: 'set by the operator',
  trialing: 'trial',
  trial_expired: 'the trial has ended',
};

/** Shows the plan of the organization, its end, and the ways to change it. */
export function Plan({
  billing,
  server,
}: {
  billing: BillingSummary;
  server: ServerDescription | undefined;
}) {
  const { plan, billing_state: state, capacity_units: units, usage_window: period, trial } = billing;
  const isOperators = server?.plan_source === 'config';
  return (
    <Section id="plan" title="Plan">
      <FactList
        facts={[
          ['Plan', <strong key="plan">{PLANS[plan]}</strong>],
          [
            'Status',
            isOperators ? 'The operator of this server sets the plan' : state === null ? '–' : STATES[state],
          ],
          ...(trial.active && trial.ends_at !== null
            ? [
                [
                  'Trial',
                  `${plural(trial.days_remaining ?? 0, 'day')} left, until ${absoluteTime(trial.ends_at)}`,
                ] as const,
              ]
            : []),
          ['Period', `${absoluteTime(period.starts_at)} to ${absoluteTime(period.ends_at)}`],
          ['Projects', fullCount(billing.active_projects)],
          [
            'Capacity',
            `${plural(units.total, 'unit')}, ${units.included} of them included${units.additional_purchased > 0 ? ` and ${units.additional_purchased} added` : ''}`,
          ],
        ]}
      />
      <PlanActions billing={billing} server={server} />
    </Section>
  );
}

/** Shows the actions that the deployment supports. */
function PlanActions({
  billing,
  server,
}: {
  billing: BillingSummary;
  server: ServerDescription | undefined;
}) {
  const queryClient = useQueryClient();
  const trial = useMutation({
    mutationFn: async () => (await call(startTrial, { body: { target_plan: 'team' } })).billing,
    onSuccess: async (changed) => {
      queryClient.setQueryData(billingQuery.queryKey, changed);
      showToast('The trial has begun');
      await queryClient.invalidateQueries(sessionQuery);
    },
  });
  const leave = useMutation({
    mutationFn: async (way: 'checkout' | 'portal') =>
      way === 'portal'
        ? (await call(openBillingPortal)).url
        : (await call(createCheckout, { body: { target_plan: 'team' } })).url,
    // The payment provider's own page; the server named it.
    onSuccess: (url) => location.assign(url),
  });
  if (server === undefined || server.plan_source === 'config') return null;
  const error = trial.error ?? leave.error;
  const hasTrial = billing.trial.available;
  if (!hasTrial && !server.payment_provider) return null;
  return (
    <SectionText>
      <p>
        {hasTrial && 'Team adds other members and Slack. You can try it once for 30 days, without a card.'}
      </p>
      <span>
        {hasTrial && (
          <Button kind="primary" isBusy={trial.isPending} onClick={() => trial.mutate()}>
            Start the Team trial
          </Button>
        )}{' '}
        {server.payment_provider && (
          <Button
            isBusy={leave.isPending}
            onClick={() => leave.mutate(billing.stripe_customer_id === null ? 'checkout' : 'portal')}
          >
            {billing.stripe_customer_id === null ? 'Buy a plan' : 'Change the payment'}
          </Button>
        )}
      </span>
      <ActionError error={error} />
    </SectionText>
  );
}
