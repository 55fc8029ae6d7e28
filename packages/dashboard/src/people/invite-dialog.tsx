import { EMAIL_LENGTH_MAX } from '@culprit/contract/workspace/email-address';
import { invitePerson } from '@culprit/contract/workspace/invites';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { ROLE_WORDS, roleIn } from '../shell/parts/role-words.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import { Dialog } from '../ui/layers/dialog.tsx';
import { DialogForm } from '../ui/layers/dialog-form.tsx';
import { invitesQuery } from './people-queries.ts';

/** The dialog that invites a person by mail. */
export function InviteDialog(props: { projectId: string; isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Invite a person" isOpen={props.isOpen} onClose={props.onClose}>
      <InviteForm projectId={props.projectId} onClose={props.onClose} />
    </Dialog>
  );
}

function InviteForm({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState(roleIn('member'));
  const invite = useMutation({
    mutationFn: async () => {
      const body = { email: email.trim(), role };
      return (await call(invitePerson, { params: { id: projectId }, body })).invite;
    },
    onSuccess: async (sent) => {
      onClose();
      showToast(`Invited ${sent.email}`);
      await queryClient.invalidateQueries(invitesQuery(projectId));
    },
  });
  return (
    <DialogForm verb="Send invite" isBusy={invite.isPending} onSend={() => invite.mutate()} onClose={onClose}>
      <TextField
        label="E-mail"
        type="email"
        name="email"
        required
        autoFocus
        autoComplete="off"
        maxLength={EMAIL_LENGTH_MAX}
        value={email}
        onChange={(event) => {
          setEmail(event.target.value);
          if (invite.isError) invite.reset();
        }}
        error={invite.isError ? problemText(invite.error) : null}
        hint="The link works once, within 7 days, and only for this address"
      />
      <SelectField
        label="Role"
        name="role"
        value={role}
        onChange={(event) => setRole(roleIn(event.target.value))}
        hint={ROLE_WORDS[role]}
      >
        <option value="member">member</option>
        <option value="admin">admin</option>
      </SelectField>
    </DialogForm>
  );
}
