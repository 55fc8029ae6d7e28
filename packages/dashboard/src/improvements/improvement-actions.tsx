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
import { bodyOf, client, serverNow } from '../api/transport.ts';
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
import { morningOf, snoozeDays, snoozeTimes } from './snooze-times.ts';

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
        return (await bodyOf(client.call(snoozeImprovement, { params, body }))).improvement;
      }
      const endpoint = wanted.to === 'resolved' ? resolveImprovement : reopenImprovement;
      return (await bodyOf(client.call(endpoint, { params }))).improvement;
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
