import { cancelInvite, type Invite } from '@culprit/contract/workspace/invites';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { Time } from '../format/time.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { focusHeading, Section } from '../ui/section.tsx';
import { invitesQuery } from './people-queries.ts';

/** Shows the open invites. */
export function Invites({ projectId, invites }: { projectId: string; invites: readonly Invite[] }) {
  return (
    <Section id="invites" title="Invited" note="Each link works once, within 7 days">
      <DataTable
        label="Open invites"
        rows={invites}
        keyOf={({ invite_id: id }) => id}
        columns={[
          { title: 'E-mail', cell: ({ email }) => <strong>{email}</strong> },
          { title: 'Role', cell: ({ role }) => role },
          { title: 'Sent', cell: ({ created_at: at }) => <Time iso={at} /> },
          { title: 'Expires', cell: ({ expires_at: at }) => <Time iso={at} form="relative" /> },
          {
            title: 'Actions',
            isTitleHidden: true,
            cell: (invite) => <CancelButton projectId={projectId} invite={invite} />,
          },
        ]}
      />
    </Section>
  );
}

/** An invite can be sent again, so cancelling one asks nothing. */
function CancelButton({ projectId, invite }: { projectId: string; invite: Invite }) {
  const queryClient = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => call(cancelInvite, { params: { id: projectId, inviteId: invite.invite_id } }),
    onSuccess: () => {
      showToast(`The invite for ${invite.email} no longer works`);
      focusHeading('members');
    },
    onError: (error) => showToast(problemText(error)),
    onSettled: () => queryClient.invalidateQueries(invitesQuery(projectId)),
  });
  return (
    <Button
      kind="quiet"
      aria-label={`Cancel the invite for ${invite.email}`}
      isBusy={cancel.isPending}
      onClick={() => cancel.mutate()}
    >
      Cancel invite
    </Button>
  );
}
