import { VIEW_NAME_MAX, type View } from '@culprit/contract/search/views';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListSearch } from '../api/list-search.ts';
import { addView, renameView } from '../api/views.ts';
import { ActionError } from '../shell/parts/action-error.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { Dialog } from '../ui/layers/dialog.tsx';
import { DialogForm } from '../ui/layers/dialog-form.tsx';
import { viewOf } from './view-query.ts';

/** Saves the filters of a list under a name, or gives a view another one. */
export function NameView({
  view,
  search,
  projectId,
  onSaved,
  onClose,
}: {
  /** Null: a new one. */
  view: View | null;
  search: ListSearch;
  projectId: string | null;
  onSaved: (view: View) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(view?.name ?? '');
  const [isShared, setShared] = useState(false);
  const save = useMutation({
    mutationFn: async () =>
      view === null
        ? await addView({
            ...viewOf(search),
            name: name.trim(),
            is_shared: isShared,
            ...(projectId === null ? {} : { project_id: projectId }),
          })
        : await renameView(view.view_id, name.trim()),
    onSuccess: onSaved,
  });
  return (
    <Dialog title={view === null ? 'Save these filters' : 'Rename the view'} isOpen onClose={onClose}>
      <DialogForm
        verb={view === null ? 'Save view' : 'Rename view'}
        isBusy={save.isPending}
        isReady={name.trim() !== ''}
        onSend={() => save.mutate()}
        onClose={onClose}
      >
        <TextField
          label="Name of the view"
          required
          maxLength={VIEW_NAME_MAX}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {view === null && projectId !== null && (
          <label>
            <input type="checkbox" checked={isShared} onChange={({ target }) => setShared(target.checked)} />{' '}
            Share it with the members of this project
          </label>
        )}
        <ActionError error={save.error} />
      </DialogForm>
    </Dialog>
  );
}
