import { type DsnKey, revokeDsnKey } from '@culprit/contract/events/dsn-keys';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dsnKeysQuery } from '../api/dsn-keys.ts';
import { call } from '../api/transport.ts';
import { count } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
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
      {keys.data === undefined && <LoadingPart error={keys.error} retry={keys.refetch} rows={2} />}
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
  return (
    <ConfirmedAction
      item={revoked}
      title={`Revoke ${revoked?.label ?? ''}?`}
      verb="Revoke the key"
      run={({ token_id: tokenId }) => call(revokeDsnKey, { params: { id: projectId, tokenId } })}
      done={({ key }) => `Revoked ${key.label}`}
      rereads={dsnKeysQuery(projectId)}
      onClose={onClose}
    >
      <p>Senders with this address get 401 immediately. This cannot be undone.</p>
    </ConfirmedAction>
  );
}
