import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { problemText } from '../../api/problem-words.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/layers/dialog.tsx';
import { showToast } from './toasts.tsx';

interface Question<Item, Answer> {
  title: string;
  /** The action of the button, with its object: "Revoke the token". */
  verb: string;
  run: (item: Item) => Promise<Answer>;
  /** The toast after it. */
  done?: string | ((answer: Answer) => string);
  /** Runs after it, before the query is read again: leaves the page of a deleted record. */
  onDone?: (answer: Answer) => unknown;
  /** The query whose answer changed. */
  rereads?: { queryKey: QueryKey };
  /** The consequences: changes and losses. */
  children: ReactNode;
}

/** Asks once, then acts on a record. The dialog shows an error, and closes when it is done. */
export function ConfirmedAction<Item, Answer>({
  item,
  title,
  verb,
  run,
  done,
  onDone,
  rereads,
  onClose,
  children,
}: Question<Item, Answer> & {
  /** Null: the question is not asked. */
  item: Item | null;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const action = useMutation({
    mutationFn: run,
    onSuccess: async (answer) => {
      onClose();
      if (done !== undefined) showToast(typeof done === 'string' ? done : done(answer));
      await onDone?.(answer);
      if (rereads !== undefined) await queryClient.invalidateQueries({ queryKey: rereads.queryKey });
    },
  });
  return (
    <ConfirmDialog
      title={title}
      verb={verb}
      isOpen={item !== null}
      isBusy={action.isPending}
      error={action.isError ? problemText(action.error) : null}
      onConfirm={() => item !== null && action.mutate(item)}
      onClose={() => {
        action.reset();
        onClose();
      }}
    >
      {children}
    </ConfirmDialog>
  );
}

/** A button that asks before it acts. */
export function ConfirmButton<Answer>({
  label,
  kind = 'quiet',
  refusal = null,
  ...question
}: Question<true, Answer> & { label: string; kind?: 'quiet' | 'danger'; refusal?: string | null }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button kind={kind} refusal={refusal} onClick={() => setAsking(true)}>
        {label}
      </Button>
      <ConfirmedAction {...question} item={isAsking || null} onClose={() => setAsking(false)} />
    </>
  );
}
