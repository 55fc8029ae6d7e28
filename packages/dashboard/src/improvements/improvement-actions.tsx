import chevronIcon from 'virtual:icon/chevron-down';
import {
  type Improvement,
  listImprovements,
  reopenImprovement,
  resolveImprovement,
  snoozeImprovement,
} from '@culprit/contract/incidents/improvements';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { call, serverNow } from '../api/transport.ts';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Dialog } from '../ui/layers/dialog.tsx';
import { DialogForm } from '../ui/layers/dialog-form.tsx';
import { Menu } from '../ui/layers/menu.tsx';
import styles from './improvement-page.module.css';
import { improvementQuery } from './improvements-queries.ts';

const HOUR_MS = 3_600_000;
const MORNING_HOUR = 9;
const MONDAY = 1;
const DAYS_MAX = 90;

/** Times at which something comes back, as people say them. Mornings are those of this browser's zone. */
function snoozeTimes(now: Date): { label: string; at: Date }[] {
  return [
    { label: 'For 1 hour', at: new Date(now.getTime() + HOUR_MS) },
    { label: 'Until tomorrow, 9:00', at: morningIn(now, 1) },
    { label: 'Until Monday, 9:00', at: morningIn(now, (MONDAY + 7 - now.getDay()) % 7 || 7) },
  ];
}

/** The first and the last day that can be chosen, as a date field writes them. */
function snoozeDays(now: Date): { first: string; last: string } {
  return { first: dayOf(morningIn(now, 1)), last: dayOf(morningIn(now, DAYS_MAX - 1)) };
}

/** The morning of a day that a date field wrote; null while it is none. */
function morningOf(day: string): Date | null {
  const [year = Number.NaN, month = Number.NaN, date = Number.NaN] = day.split('-').map(Number);
  const at = new Date(year, month - 1, date, MORNING_HOUR);
  return Number.isNaN(at.getTime()) ? null : at;
}

function morningIn(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING_HOUR);
}

function dayOf(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

type Change = { to: 'resolved' | 'open' } | { until: Date };

const DONE = { resolved: 'Resolved', open: 'Reopened', snoozed: 'Snoozed' } as const;

/** Closing it, opening it again, or having it wait. */
export function ImprovementActions({ improvement }: { improvement: Improvement }) {
  const id = improvement.improvement_id;
  const queryClient = useQueryClient();
  const [isChoosing, setChoosing] = useState(false);
  const change = useMutation({
    mutationFn: async (wanted: Change) => {
      const params = { id };
      if ('until' in wanted) {
        const body = { snoozed_until: wanted.until.toISOString() };
        return (await call(snoozeImprovement, { params, body })).improvement;
      }
      const endpoint = wanted.to === 'resolved' ? resolveImprovement : reopenImprovement;
      return (await call(endpoint, { params })).improvement;
    },
    onSuccess: async (changed) => {
      queryClient.setQueryData(improvementQuery(id).queryKey, changed);
      showToast(
        DONE[changed.status],
        changed.status === 'open'
          ? {}
          : { action: { label: 'Undo', onChoose: () => change.mutate({ to: 'open' }) } },
      );
      await queryClient.invalidateQueries({ queryKey: [listImprovements.id] });
    },
    onError: (problem) => showToast(problemText(problem), { lastsMs: null }),
  });
  const isOpen = improvement.status === 'open';
  useShortcuts('Improvement', [
    { keys: 'e', label: 'Resolve', run: () => isOpen && change.mutate({ to: 'resolved' }) },
    { keys: 'Shift+E', label: 'Reopen', run: () => !isOpen && change.mutate({ to: 'open' }) },
  ]);
  return (
    <div className={styles.actions}>
      <Menu
        label="Snooze"
        side="end"
        triggerClass={styles.trigger}
        trigger={
          <>
            Snooze <Icon path={chevronIcon} size={12} />
          </>
        }
        items={[
          ...snoozeTimes(new Date(serverNow())).map(({ label, at }) => ({
            kind: 'action' as const,
            label,
            onChoose: () => change.mutate({ until: at }),
          })),
          { kind: 'action', label: 'Until a date…', onChoose: () => setChoosing(true) },
        ]}
      />
      {isOpen ? (
        <Button
          kind="primary"
          keys="E"
          isBusy={change.isPending}
          onClick={() => change.mutate({ to: 'resolved' })}
        >
          Resolve
        </Button>
      ) : (
        <Button
          kind="primary"
          keys="Shift E"
          isBusy={change.isPending}
          onClick={() => change.mutate({ to: 'open' })}
        >
          Reopen
        </Button>
      )}
      <Dialog title="Snooze until a date" isOpen={isChoosing} onClose={() => setChoosing(false)}>
        <DateForm
          onChoose={(until) => {
            setChoosing(false);
            change.mutate({ until });
          }}
          onClose={() => setChoosing(false)}
        />
      </Dialog>
    </div>
  );
}

function DateForm({ onChoose, onClose }: { onChoose: (at: Date) => void; onClose: () => void }) {
  const { first, last } = snoozeDays(new Date(serverNow()));
  const [day, setDay] = useState(first);
  const at = day >= first && day <= last ? morningOf(day) : null;
  return (
    <DialogForm verb="Snooze" onSend={() => at !== null && onChoose(at)} onClose={onClose}>
      <TextField
        label="Day"
        type="date"
        min={first}
        max={last}
        value={day}
        onChange={(event) => setDay(event.target.value)}
        hint="It returns at 9:00 that morning, or later with new evidence"
        error={at === null ? `Enter a day from ${first} to ${last}.` : null}
      />
    </DialogForm>
  );
}
