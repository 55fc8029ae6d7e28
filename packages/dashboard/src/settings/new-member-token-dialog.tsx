import { createMemberToken, type TokenAccess } from '@culprit/contract/workspace/tokens';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { LabelField } from '../shell/parts/key-fields.tsx';
import { SelectField } from '../ui/fields/field.tsx';
import { Dialog } from '../ui/layers/dialog.tsx';
import { DialogForm } from '../ui/layers/dialog-form.tsx';

const ACCESS_HINTS: Readonly<Record<TokenAccess, string>> = {
  full: 'Everything that you can do',
  read: 'Requests that change something are refused',
  build: 'Only source maps and releases, for builds. It cannot read incidents',
};
const ACCESSES: readonly TokenAccess[] = ['full', 'read', 'build'];

interface Made {
  /** False: an older server, whose tokens may everything. */
  hasAccess: boolean;
  onClose: () => void;
  onMade: (plaintext: string) => void;
}

/** Creates a token of the person. The token itself is passed to `onMade` and not stored. */
export function NewMemberTokenDialog({ isOpen, ...made }: Made & { isOpen: boolean }) {
  return (
    <Dialog title="New member token" isOpen={isOpen} onClose={made.onClose}>
      <NewMemberTokenForm {...made} />
    </Dialog>
  );
}

function NewMemberTokenForm({ hasAccess, onClose, onMade }: Made) {
  const [label, setLabel] = useState('');
  const [access, setAccess] = useState<TokenAccess>('full');
  const create = useMutation({
    mutationFn: async () => {
      const body = { label: label.trim(), ...(hasAccess ? { access } : {}) };
      return (await call(createMemberToken, { body })).token;
    },
    onSuccess: ({ plaintext }) => onMade(plaintext),
  });
  return (
    <DialogForm
      verb="Create token"
      isBusy={create.isPending}
      isReady={label.trim() !== ''}
      onSend={() => create.mutate()}
      onClose={onClose}
    >
      <LabelField
        value={label}
        onText={setLabel}
        error={create.isError ? problemText(create.error) : null}
        hint="Where it is used, for example: laptop, nightly job"
      />
      {hasAccess && (
        <SelectField
          label="Scope"
          name="access"
          value={access}
          onChange={(event) => setAccess(ACCESSES.find((each) => each === event.target.value) ?? 'full')}
          hint={ACCESS_HINTS[access]}
        >
          <option value="full">everything</option>
          <option value="read">read only</option>
          <option value="build">upload source maps</option>
        </SelectField>
      )}
    </DialogForm>
  );
}
