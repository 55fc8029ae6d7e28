import {
  createDsnKey,
  DSN_EVENTS_PER_MINUTE_MAX,
  DSN_SERVICE_NAME_LENGTH_MAX,
  type DsnKey,
  updateDsnKey,
} from '@culprit/contract/events/dsn-keys';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dsnKeysQuery } from '../api/dsn-keys.ts';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { LabelField, OriginsField } from '../shell/parts/key-fields.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { Dialog } from '../ui/layers/dialog.tsx';
import { DialogForm } from '../ui/layers/dialog-form.tsx';
import { faultOfOrigins, originsIn } from './origins.ts';

/** The dialog that creates or changes a key: it is part of deployed applications, so it is edited and not replaced. */
export function DsnKeyDialog({
  projectId,
  edited,
  onClose,
}: {
  projectId: string;
  edited: DsnKey | 'new' | null;
  onClose: () => void;
}) {
  const known = edited === 'new' ? null : edited;
  return (
    <Dialog
      title={known === null ? 'New DSN key' : 'Edit the DSN key'}
      isOpen={edited !== null}
      onClose={onClose}
    >
      <DsnKeyForm key={known?.token_id ?? 'new'} projectId={projectId} known={known} onClose={onClose} />
    </Dialog>
  );
}

function DsnKeyForm({
  projectId,
  known,
  onClose,
}: {
  projectId: string;
  known: DsnKey | null;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const [label, setLabel] = useState(known?.label ?? '');
  const [origins, setOrigins] = useState(known?.allowed_origins.join(', ') ?? '');
  const [service, setService] = useState(known?.service_name ?? '');
  const [limit, setLimit] = useState(String(known?.events_per_minute ?? ''));
  const fault = faultOfOrigins(origins);
  const save = useMutation({
    mutationFn: async () => {
      const body = {
        label: label.trim(),
        allowed_origins: originsIn(origins),
        service_name: service.trim() === '' ? null : service.trim(),
        events_per_minute: limit === '' ? null : Number(limit),
      };
      const params = { id: projectId };
      return known === null
        ? await call(createDsnKey, { params, body })
        : await call(updateDsnKey, { params: { ...params, tokenId: known.token_id }, body });
    },
    onSuccess: async ({ key }) => {
      onClose();
      showToast(known === null ? `Created ${key.label}` : `Saved ${key.label}`);
      await queryClient.invalidateQueries(dsnKeysQuery(projectId));
    },
  });
  return (
    <DialogForm
      verb={known === null ? 'Create key' : 'Save key'}
      isBusy={save.isPending}
      isReady={fault === null}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <LabelField
        value={label}
        onText={setLabel}
        hint="Where it is used, for example: servers, or pages of the shop"
      />
      <OriginsField
        value={origins}
        onText={setOrigins}
        error={fault}
        hint="For pages, such as: https://shop.example.com. With origins, only these pages can use the key, and no server."
      />
      <TextField
        label="Service"
        name="service"
        autoComplete="off"
        maxLength={DSN_SERVICE_NAME_LENGTH_MAX}
        value={service}
        onChange={(event) => setService(event.target.value)}
        hint="Used for events without a service. Leave empty for the short name of the project."
      />
      <TextField
        label="Events per minute"
        name="limit"
        type="number"
        min={1}
        max={DSN_EVENTS_PER_MINUTE_MAX}
        autoComplete="off"
        value={limit}
        onChange={(event) => setLimit(event.target.value)}
        error={save.isError ? problemText(save.error) : null}
        hint="Leave empty for the plan's limit."
      />
    </DialogForm>
  );
}
