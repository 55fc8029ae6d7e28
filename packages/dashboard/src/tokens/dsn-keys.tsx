import { type DsnKey, revokeDsnKey } from '@culprit/contract/events/dsn-keys';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dsnKeysQuery } from '../api/dsn-keys.ts';
import { problemText } from '../api/problem-words.ts';
import { bodyOf, client } from '../api/transport.ts';
import { count } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ConfirmDialog } from '../ui/layers/dialog.tsx';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Section } from '../ui/section.tsx';
import { DsnKeyDialog } from './dsn-key-dialog.tsx';
import styles from './tokens-page.module.css';

/** Addresses for libraries that are not ours; they are no secrets, so they are shown whole. */
export function DsnKeys({ projectId }: { projectId: string }) {
  const keys = useQuery(dsnKeysQuery(projectId));
  const [edited, setEdited] = useState<DsnKey | 'new' | null>(null);
  const [revoking, setRevoking] = useState<DsnKey | null>(null);
  const { data } = keys;
  return (
    <Section
      id="dsn-keys"
      title="DSN keys"
      note="The address for a Sentry library. It is public, and can only send."
      actions={<Button onClick={() => setEdited('new')}>New DSN key</Button>}
    >
      {keys.isPending && <SkeletonRows rows={2} />}
      {keys.isError && data === undefined && (
        <PartError error={keys.error} retry={() => void keys.refetch()} />
      )}
      {data !== undefined && data.length > 0 && (
        <DataTable
          label="DSN keys"
          rows={data}
          columns={columnsWith(setEdited, setRevoking)}
          keyOf={({ token_id: id }) => id}
          isDim={({ revoked_at: at }) => at !== null}
        />
      )}
      <DsnKeyDialog projectId={projectId} edited={edited} onClose={() => setEdited(null)} />
      <RevokeDialog projectId={projectId} revoked={revoking} onClose={() => setRevoking(null)} />
    </Section>
  );
}

function columnsWith(onEdit: (key: DsnKey) => void, onRevoke: (key: DsnKey) => void): Column<DsnKey>[] {
  return [
    { title: 'Label', cell: ({ label }) => <strong className={styles.label}>{label}</strong> },
    {
      title: 'DSN',
      cell: ({ dsn, label, revoked_at: at }) => (
        <>
          <code>{dsn}</code>
          {at === null && <CopyButton text={dsn} label={`Copy the DSN of ${label}`} isIcon />}
        </>
      ),
    },
    {
      title: 'Origins',
      cell: ({ allowed_origins: origins }) => (origins.length === 0 ? 'any' : origins.join(', ')),
    },
    {
      title: 'Service',
      cell: ({ service_name: name }) => name ?? <span className={styles.label}>project</span>,
    },
    {
      title: 'Limit',
      cell: ({ events_per_minute: limit }) => (limit === null ? 'plan' : `${count(limit)} a minute`),
    },
    { title: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time iso={at} />) },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (key) =>
        key.revoked_at === null ? (
          <>
            <Button kind="quiet" aria-label={`Edit ${key.label}`} onClick={() => onEdit(key)}>
              Edit
            </Button>
            <Button kind="quiet" aria-label={`Revoke ${key.label}`} onClick={() => onRevoke(key)}>
              Revoke
            </Button>
          </>
        ) : (
          <>
            revoked <Time iso={key.revoked_at} />
          </>
        ),
    },
  ];
}

function RevokeDialog({
  projectId,
  revoked,
  onClose,
}: {
  projectId: string;
  revoked: DsnKey | null;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: (tokenId: string) =>
      bodyOf(client.call(revokeDsnKey, { params: { id: projectId, tokenId } })),
    onSuccess: async ({ key }) => {
      onClose();
      showToast(`Revoked ${key.label}`);
      await queryClient.invalidateQueries(dsnKeysQuery(projectId));
    },
  });
  return (
    <ConfirmDialog
      title={`Revoke ${revoked?.label ?? ''}?`}
      verb="Revoke the key"
      isOpen={revoked !== null}
      isBusy={revoke.isPending}
      error={revoke.isError ? problemText(revoke.error) : null}
      onConfirm={() => revoked !== null && revoke.mutate(revoked.token_id)}
      onClose={onClose}
    >
      <p>Senders with this address get 401 immediately. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
