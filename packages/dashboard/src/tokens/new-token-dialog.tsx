import { ALLOWED_ORIGINS_MAX, createProjectToken } from '@culprit/contract/workspace/tokens';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { LabelField, OriginsField } from '../shell/parts/key-fields.tsx';
import { Dialog } from '../ui/layers/dialog.tsx';
import { DialogForm } from '../ui/layers/dialog-form.tsx';
import { faultOfOrigins, originsIn } from './origins.ts';
import { tokensQuery } from './tokens-query.ts';

interface Made {
  projectId: string;
  onClose: () => void;
  onMade: (plaintext: string) => void;
}

/** Creates a token. The token itself is passed to `onMade` and not stored. */
export function NewTokenDialog({ isOpen, ...made }: Made & { isOpen: boolean }) {
  return (
    <Dialog title="New token" isOpen={isOpen} onClose={made.onClose}>
      <NewTokenForm {...made} />
    </Dialog>
  );
}

function NewTokenForm({ projectId, onClose, onMade }: Made) {
  const queryClient = useQueryClient();
  const [label, setLabel] = useState('');
  const [origins, setOrigins] = useState('');
  const fault = faultOfOrigins(origins);
  const create = useMutation({
    mutationFn: async () => {
      const body = { label: label.trim(), allowed_origins: originsIn(origins) };
      return (await call(createProjectToken, { params: { id: projectId }, body })).token;
    },
    onSuccess: async ({ plaintext }) => {
      onMade(plaintext);
      await queryClient.invalidateQueries(tokensQuery(projectId));
    },
  });
  return (
    <DialogForm
      verb="Create token"
      isBusy={create.isPending}
      isReady={fault === null}
      onSend={() => create.mutate()}
      onClose={onClose}
    >
      <LabelField
        value={label}
        onText={setLabel}
        hint="Where it is used, for example: checkout, production"
      />
      <OriginsField
        value={origins}
        onText={setOrigins}
        error={fault ?? (create.isError ? problemText(create.error) : null)}
        hint={`Browsers only, such as: https://shop.example.com. At most ${ALLOWED_ORIGINS_MAX}, comma-separated. Other pages cannot use the token; other programs can.`}
      />
    </DialogForm>
  );
}
