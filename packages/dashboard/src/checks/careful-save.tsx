import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ChangedByOthers, fieldsChanged } from '../shell/parts/changed-by-others.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { Notice } from '../ui/notice.tsx';

/** The editor, or the reason why this person has none. */
export function AdminsOnly({
  project,
  things,
  children,
}: {
  project: Project;
  /** "checks" */
  things: string;
  children: ReactNode;
}) {
  const refusal = refusalFor('admin', project);
  return refusal === null ? (
    children
  ) : (
    <Notice title={`Only admins and the owner can change ${things}.`}>{refusal}</Notice>
  );
}

/** Saves a record unless another person changed it since it was read: then that is shown first. */
export function useCarefulSave<Item extends object, Values>({
  stored,
  words,
  read,
  write,
}: {
  stored: Item;
  /** Its fields, as people call them. */
  words: Readonly<Partial<Record<keyof Item, string>>>;
  read: () => Promise<Item>;
  /** Sends what differs between a record and what was typed, and leaves the editor. */
  write: (record: Item, values: Values) => Promise<void>;
}) {
  // The record with which the editor began: a later read must not replace the text that is being typed.
  const [record, setRecord] = useState(stored);
  const [theirs, setTheirs] = useState<Item | null>(null);
  const [typed, setTyped] = useState<Values | null>(null);
  const save = useMutation({ mutationFn: async (values: Values) => await write(record, values) });
  const look = useMutation({
    mutationFn: async (values: Values) => ({ now: await read(), values }),
    onSuccess: ({ now, values }) => {
      setTyped(values);
      if (fieldsChanged(record, now, words).length > 0) setTheirs(now);
      else save.mutate(values);
    },
  });
  return {
    record,
    save: {
      mutate: look.mutate,
      isPending: look.isPending || save.isPending,
      isSuccess: save.isSuccess,
      error: look.error ?? save.error,
    },
    question: (
      <ChangedByOthers
        fields={theirs === null ? null : fieldsChanged(record, theirs, words)}
        isBusy={save.isPending}
        onSave={() => {
          setTheirs(null);
          if (typed !== null) save.mutate(typed);
        }}
        onTakeTheirs={() => {
          if (theirs !== null) setRecord(theirs);
          setTheirs(null);
        }}
        onClose={() => setTheirs(null)}
      />
    ),
  };
}
