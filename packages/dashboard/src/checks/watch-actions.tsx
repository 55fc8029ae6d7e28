import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { visibleLine } from '../format/event-text.ts';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';

/** Pause, delete and edit: what a check and a heartbeat have on their pages. */
export function WatchActions({
  project,
  noun,
  name,
  isEnabled,
  consequence,
  paths,
  keys,
  setEnabled,
  remove,
}: {
  project: Project;
  noun: 'check' | 'heartbeat';
  name: string;
  isEnabled: boolean;
  /** The records that deleting it deletes. */
  consequence: string;
  paths: { list: string; edit: string };
  /** The keys of the queries that hold the record, and of the list. */
  keys: { record: readonly unknown[]; list: readonly unknown[] };
  setEnabled: (isEnabled: boolean) => Promise<unknown>;
  remove: () => Promise<unknown>;
}) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const refusal = refusalFor('admin', project);
  const edit = () => void navigate({ to: paths.edit });
  const change = useMutation({
    mutationFn: async (wanted: boolean) => {
      await setEnabled(wanted);
      return wanted;
    },
    onSuccess: async (isActive) => {
      showToast(`The ${noun} is ${isActive ? 'active again' : 'paused'}`);
      await Promise.all(
        [keys.record, keys.list].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      );
    },
    onError: (error) => showToast(problemText(error), { lastsMs: null }),
  });
  useShortcuts(noun === 'check' ? 'Check' : 'Heartbeat', [
    { keys: 'e', label: `Edit the ${noun}`, run: () => refusal === null && edit() },
  ]);
  return (
    <>
      <Button refusal={refusal} isBusy={change.isPending} onClick={() => change.mutate(!isEnabled)}>
        {isEnabled ? 'Pause' : 'Resume'}
      </Button>
      <Button refusal={refusal} onClick={() => setDeleting(true)}>
        Delete
      </Button>
      <Button kind="primary" keys="E" refusal={refusal} onClick={edit}>
        Edit
      </Button>
      <ConfirmedAction
        item={isDeleting || null}
        title={`Delete ${visibleLine(name)}?`}
        verb={`Delete the ${noun}`}
        run={remove}
        done={() => `Deleted ${visibleLine(name)}`}
        onDone={async () => {
          await navigate({ to: paths.list });
          queryClient.removeQueries({ queryKey: keys.record });
        }}
        rereads={{ queryKey: keys.list }}
        onClose={() => setDeleting(false)}
      >
        <p>{consequence}</p>
      </ConfirmedAction>
    </>
  );
}
