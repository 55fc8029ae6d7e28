import { writtenValue } from '@culprit/contract/schemas/written-value';
import { VIEW_NAME_MAX, type View } from '@culprit/contract/search/views';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type ListSearch, SPANS, STATUS_DEFAULT } from '../api/list-search.ts';
import { addView, renameView } from '../api/views.ts';
import { ActionError } from '../shell/parts/action-error.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { Dialog } from '../ui/layers/dialog.tsx';
import { DialogForm } from '../ui/layers/dialog-form.tsx';

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

/** Returns the part of a list that a view keeps: filters become terms of its query. */
function viewOf(search: ListSearch): Pick<View, 'q' | 'status' | 'sort'> {
  const { first_seen: firstSeen, service, environment } = search;
  const terms = [
    search.q,
    search.severity === undefined ? undefined : `severity:${search.severity}`,
    search.severity_min === undefined ? undefined : `severity:>=${search.severity_min}`,
    service === undefined ? undefined : `service:${writtenValue(service)}`,
    environment === undefined ? undefined : `env:${writtenValue(environment)}`,
    search.spiking === undefined ? undefined : 'is:spiking',
    firstSeen === undefined
      ? undefined
      : `first_seen:${Object.hasOwn(SPANS, firstSeen) ? `<${firstSeen}` : `>${firstSeen}`}`,
  ];
  return {
    q: terms.filter((term) => term !== undefined && term !== '').join(' '),
    // The list has already read the parameters of the address.
    status: (search.status ?? STATUS_DEFAULT) as View['status'],
    sort: (search.sort ?? 'last_seen') as View['sort'],
  };
}
