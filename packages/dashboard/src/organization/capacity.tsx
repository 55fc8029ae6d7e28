import type { ServerDescription } from '@culprit/contract/endpoints/server';
import {
  ADDITIONAL_UNITS_MAX,
  type BillingSummary,
  cancelReduction,
  increaseCapacity,
  scheduleReduction,
} from '@culprit/contract/workspace/billing';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { billingQuery } from '../api/billing.ts';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { plural } from '../format/numbers.ts';
import { absoluteTime } from '../format/times.ts';
import { ActionError } from '../shell/parts/action-error.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import styles from './capacity.module.css';

/**
 * Shows the change of units: more apply immediately, fewer when the period ends. It is absent if the operator sets the
 * plan, or none can be added.
 */
export function Capacity({
  billing,
  server,
}: {
  billing: BillingSummary;
  server: ServerDescription | undefined;
}) {
  if (server === undefined || server.plan_source === 'config' || billing.plan === 'free') return null;
  const { pending_reduction: pending } = billing.capacity_units;
  return (
    <Section id="capacity" title="Capacity">
      {billing.trial.active ? (
        <SectionText>
          <p>Units can be added once the plan is bought. The trial has the included units.</p>
        </SectionText>
      ) : pending === null ? (
        <Change key={billing.capacity_units.additional_purchased} billing={billing} />
      ) : (
        <Pending pending={pending} />
      )}
    </Section>
  );
}

function Change({ billing }: { billing: BillingSummary }) {
  const { additional_purchased: now } = billing.capacity_units;
  const [text, setText] = useState(String(now));
  const wanted = /^\d{1,2}$/.test(text) ? Number(text) : null;
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: async (target: number) => {
      const body = { target_additional_capacity_units: target };
      return target > now
        ? (await call(increaseCapacity, { body })).billing
        : (await call(scheduleReduction, { body })).billing;
    },
    onSuccess: (changed) => {
      queryClient.setQueryData(billingQuery.queryKey, changed);
      showToast('Capacity changed');
    },
  });
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted !== null && wanted !== now && !change.isPending) change.mutate(wanted);
      }}
    >
      <TextField
        label="Added units"
        name="units"
        inputMode="numeric"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
        error={
          wanted === null
            ? `Enter a number from 0 to ${ADDITIONAL_UNITS_MAX}.`
            : change.isError
              ? problemText(change.error)
              : null
        }
        hint={effectOf(wanted, now, billing.usage_window.ends_at)}
      />
      <Button
        kind="primary"
        type="submit"
        isBusy={change.isPending}
        refusal={wanted === null || wanted === now ? 'Nothing was changed' : null}
      >
        Change capacity
      </Button>
    </form>
  );
}

function effectOf(wanted: number | null, now: number, endsAt: string): string {
  if (wanted === null || wanted === now)
    return 'An increase applies immediately, a decrease from the next period';
  return wanted > now
    ? `${plural(wanted - now, 'unit')} more, immediately`
    : `${plural(now - wanted, 'unit')} fewer, from ${absoluteTime(endsAt)} on`;
}

function Pending({
  pending,
}: {
  pending: NonNullable<BillingSummary['capacity_units']['pending_reduction']>;
}) {
  const queryClient = useQueryClient();
  const cancel = useMutation({
    mutationFn: async () => (await call(cancelReduction)).billing,
    onSuccess: (changed) => {
      queryClient.setQueryData(billingQuery.queryKey, changed);
      showToast('Capacity kept');
    },
  });
  return (
    <SectionText>
      <p>
        {plural(pending.total, 'unit')} from {absoluteTime(pending.effective_at)} on.
      </p>
      <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
        Keep the capacity
      </Button>
      <ActionError error={cancel.error} />
    </SectionText>
  );
}
