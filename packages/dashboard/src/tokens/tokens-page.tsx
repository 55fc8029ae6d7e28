import type { Project } from '@culprit/contract/workspace/projects';
import {
  type ProjectToken,
  revokeProjectToken,
  rotateProjectToken,
} from '@culprit/contract/workspace/tokens';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, useState } from 'react';
import { dsnKeysQuery } from '../api/dsn-keys.ts';
import { useFeature } from '../api/server.ts';
import { call } from '../api/transport.ts';
import { Time } from '../format/time.tsx';
import { PATTERNS } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { TokenState } from '../shell/frame/token-state.tsx';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import { LazyPart } from '../shell/parts/lazy-part.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { Button } from '../ui/button.tsx';
import { SecretDialog } from '../ui/layers/secret-dialog.tsx';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
import { Notice } from '../ui/notice.tsx';
import { DsnKeys } from './dsn-keys.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';
import styles from './tokens-page.module.css';
import { tokensQuery } from './tokens-query.ts';

const RotateTokenDialog = lazy(() =>
  import('../shell/frame/rotate-token-dialog.tsx').then((module) => ({ default: module.RotateTokenDialog })),
);
const route = getRouteApi(`/frame${PATTERNS.tokens}`);

/** Which keys are out, whether they are used, and what they may do. */
export function TokensPage() {
  const { new: isMaking } = route.useSearch();
  const navigate = useNavigate();
  const open = (isOpen: boolean) =>
    void navigate({ to: '.', search: isOpen ? { new: '1' } : {}, replace: true });
  useShortcuts('Tokens', [{ keys: 'n', label: 'New token', run: () => open(true) }]);
  return (
    <ProjectScreen
      title="Tokens"
      intro="A token lets a program send events to this project and do nothing else."
      actions={() => (
        <Button kind="primary" keys="N" onClick={() => open(true)}>
          New token
        </Button>
      )}
    >
      {(project) => <Tokens project={project} isMaking={isMaking !== undefined} onMaking={open} />}
    </ProjectScreen>
  );
}

function Tokens({
  project,
  isMaking,
  onMaking,
}: {
  project: Project;
  isMaking: boolean;
  onMaking: (isOpen: boolean) => void;
}) {
  const queryClient = useQueryClient();
  const tokens = useQuery(tokensQuery(project.project_id));
  const [secret, setSecret] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<ProjectToken | null>(null);
  const [rotating, setRotating] = useState<ProjectToken | null>(null);
  const hasKeys = useFeature('dsn_keys');
  // Below the list, whose height is not known before it is read.
  const keys = useQuery({ ...dsnKeysQuery(project.project_id), enabled: hasKeys });
  const { data } = tokens;
  return (
    <>
      {tokens.data === undefined && <LoadingPart error={tokens.error} retry={tokens.refetch} rows={4} />}
      {data?.length === 0 && (
        <Notice title="No tokens yet." action={<Button onClick={() => onMaking(true)}>New token</Button>} />
      )}
      {data !== undefined && data.length > 0 && (
        <DataTable
          label="Tokens"
          rows={data}
          columns={columnsWith(setRotating, setRevoking)}
          keyOf={({ token_id: id }) => id}
          isDim={({ revoked_at: at }) => at !== null}
        />
      )}
      {hasKeys && !tokens.isPending && !keys.isPending && (
        <div className={styles.keys}>
          <DsnKeys projectId={project.project_id} />
        </div>
      )}
      <NewTokenDialog
        projectId={project.project_id}
        isOpen={isMaking}
        onClose={() => onMaking(false)}
        onMade={(plaintext) => {
          onMaking(false);
          setSecret(plaintext);
        }}
      />
      <SecretDialog title="The new token" secret={secret} onStored={() => setSecret(null)} />
      <LazyPart>
        <RotateTokenDialog
          token={rotating}
          rotate={async (tokenId, hours) => {
            const params = { id: project.project_id, tokenId };
            const body = { overlap_hours: hours };
            const { token } = await call(rotateProjectToken, { params, body });
            await queryClient.invalidateQueries(tokensQuery(project.project_id));
            return token.plaintext;
          }}
          onClose={() => setRotating(null)}
          onRotated={setSecret}
        />
      </LazyPart>
      <RevokeDialog project={project} token={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}

function columnsWith(
  onRotate: (token: ProjectToken) => void,
  onRevoke: (token: ProjectToken) => void,
): Column<ProjectToken>[] {
  return [
    { title: 'Label', cell: ({ label }) => <strong>{label}</strong> },
    { title: 'Token', cell: ({ token_preview: preview }) => <code>{preview}</code> },
    {
      title: 'Origins',
      cell: ({ allowed_origins: origins }) => (origins.length === 0 ? 'any' : origins.join(', ')),
    },
    { title: 'Created', cell: ({ created_at: at }) => <Time iso={at} /> },
    { title: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time iso={at} />) },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (token) => <TokenState token={token} onRotate={onRotate} onRevoke={onRevoke} />,
    },
  ];
}

function RevokeDialog({
  project,
  token,
  onClose,
}: {
  project: Project;
  token: ProjectToken | null;
  onClose: () => void;
}) {
  return (
    <ConfirmedAction
      item={token}
      title={`Revoke ${token?.label ?? ''}?`}
      verb="Revoke the token"
      run={({ token_id: tokenId }) =>
        call(revokeProjectToken, { params: { id: project.project_id, tokenId } })
      }
      done={({ token: revoked }) => `Revoked ${revoked.label}`}
      rereads={tokensQuery(project.project_id)}
      onClose={onClose}
    >
      <p>Senders with this token get 401 immediately. This cannot be undone.</p>
    </ConfirmedAction>
  );
}
