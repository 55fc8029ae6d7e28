import { TRACKER_FACTS } from '@culprit/contract/alerts/tracker-words';
import { installTrackerHook, type Tracker } from '@culprit/contract/alerts/trackers';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { trackersQuery } from '../api/trackers.ts';
import { call } from '../api/transport.ts';
import { ActionError } from '../shell/parts/action-error.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { Actions, Dialog } from '../ui/layers/dialog.tsx';

/** Returns whether the interface of the tracker creates webhooks. Jira on an own server takes no secret by it. */
export function isInstallable({ kind, user }: Pick<Tracker, 'kind' | 'user'>): boolean {
  return kind !== 'generic' && (kind !== 'jira' || user !== null);
}

/** Creates the webhook in the tracker, or leads to the address and secret with which people create it. */
export function WebhookDialog({
  tracker,
  projectId,
  isCreating,
  onByHand,
  onClose,
}: {
  tracker: Tracker;
  projectId: string;
  /** The address and the secret are being created. */
  isCreating: boolean;
  /** Null: Linear makes the secret itself, which the command line takes. */
  onByHand: (() => void) | null;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const product = TRACKER_FACTS[tracker.kind].name;
  const install = useMutation({
    mutationFn: () => call(installTrackerHook, { params: { id: projectId, trackerId: tracker.tracker_id } }),
    onSuccess: async () => {
      onClose();
      showToast(`${product} has the webhook`);
      await queryClient.invalidateQueries(trackersQuery(projectId));
    },
  });
  return (
    <Dialog title={`Set up webhook of ${tracker.name}`} isOpen onClose={onClose}>
      <p>
        Changes of tickets arrive within seconds by a webhook. Culprit creates it in {product} with the stored
        token, which needs the right to do that.
      </p>
      {onByHand !== null && (
        <p>Or create it there by hand, with an address and a secret that are shown once.</p>
      )}
      <ActionError error={install.error} />
      <Actions>
        <Button kind="primary" isBusy={install.isPending} onClick={() => install.mutate()}>
          Create webhook
        </Button>
        {onByHand !== null && (
          <Button isBusy={isCreating} onClick={onByHand}>
            Show address and secret
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
      </Actions>
    </Dialog>
  );
}
