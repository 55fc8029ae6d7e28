import { type MemberToken, revokeMemberToken, rotateMemberToken } from '@culprit/contract/workspace/tokens';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, useState } from 'react';
import { call } from '../api/transport.ts';
import { Time } from '../format/time.tsx';
import { PATTERNS } from '../paths.ts';
import { TokenState } from '../shell/frame/token-state.tsx';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import { LazyPart } from '../shell/parts/lazy-part.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { Button } from '../ui/button.tsx';
import { SecretDialog } from '../ui/layers/secret-dialog.tsx';
import { type Column, DataTable } from '../ui/lists/data-table.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import { NewMemberTokenDialog } from './new-member-token-dialog.tsx';
import { memberTokensQuery } from './settings-queries.ts';

const RotateTokenDialog = lazy(() =>
  import('../shell/frame/rotate-token-dialog.tsx').then((module) => ({ default: module.RotateTokenDialog })),
);
const route = getRouteApi(`/frame${PATTERNS.settings}`);

/** Shows the tokens with which the command line and agents act in the person's name. */
export function MemberTokens({ hasAccess }: { hasAccess: boolean }) {
  const { new: isMaking } = route.useSearch();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const tokens = useQuery(memberTokensQuery);
  const [secret, setSecret] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<MemberToken | null>(null);
  const [rotating, setRotating] = useState<MemberToken | null>(null);
  const open = (isOpen: boolean) =>
    void navigate({ to: '.', search: isOpen ? { new: '1' } : {}, replace: true, resetScroll: false });
  useShortcuts('Your settings', [{ keys: 'n', label: 'New member token', run: () => open(true) }]);
  const { data } = tokens;
  return (
    <Section
      id="tokens"
      title="Member tokens"
      note="For the command line and agents. A token can do what you can do"
      actions={
        <Button keys="N" onClick={() => open(true)}>
          New member token
        </Button>
      }
    >
      {tokens.isError && data === undefined && (
        <PartError error={tokens.error} retry={() => void tokens.refetch()} />
      )}
      {data?.length === 0 && (
        <SectionText>
          <p>
            No member tokens yet. <code>culprit login</code> also creates one.
          </p>
        </SectionText>
      )}
      {data !== undefined && data.length > 0 && (
        <DataTable
          label="Member tokens"
          rows={data}
          columns={columnsWith(hasAccess, setRotating, setRevoking)}
          keyOf={({ token_id: id }) => id}
          isDim={({ revoked_at: at }) => at !== null}
        />
      )}
      <NewMemberTokenDialog
        hasAccess={hasAccess}
        isOpen={isMaking !== undefined}
        onClose={() => open(false)}
        onMade={(plaintext) => {
          open(false);
          setSecret(plaintext);
          void queryClient.invalidateQueries(memberTokensQuery);
        }}
      />
      <SecretDialog title="The new member token" secret={secret} onStored={() => setSecret(null)}>
        <p>
          This token acts as you. For the command line: <code>culprit login</code>
        </p>
      </SecretDialog>
      <LazyPart>
        <RotateTokenDialog
          token={rotating}
          rotate={async (tokenId, hours) => {
            const body = { overlap_hours: hours };
            const { token } = await call(rotateMemberToken, { params: { tokenId }, body });
            await queryClient.invalidateQueries(memberTokensQuery);
            return token.plaintext;
          }}
          onClose={() => setRotating(null)}
          onRotated={setSecret}
        />
      </LazyPart>
      <RevokeDialog token={revoking} onClose={() => setRevoking(null)} />
    </Section>
  );
}

function columnsWith(
  hasAccess: boolean,
  onRotate: (token: MemberToken) => void,
  onRevoke: (token: MemberToken) => void,
): Column<MemberToken>[] {
  return [
    { title: 'Label', cell: ({ label }) => <strong>{label}</strong> },
    { title: 'Token', cell: ({ token_preview: preview }) => <code>{preview}</code> },
    ...(hasAccess
      ? [
          {
            title: 'Scope',
            cell: ({ access }: MemberToken) => (access === 'read' ? 'read only' : 'everything'),
          },
        ]
      : []),
    { title: 'Created', cell: ({ created_at: at }) => <Time iso={at} /> },
    { title: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time iso={at} />) },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (token) => <TokenState token={token} onRotate={onRotate} onRevoke={onRevoke} />,
    },
  ];
}

function RevokeDialog({ token, onClose }: { token: MemberToken | null; onClose: () => void }) {
  return (
    <ConfirmedAction
      item={token}
      title={`Revoke ${token?.label ?? ''}?`}
      verb="Revoke the token"
      run={({ token_id: tokenId }) => call(revokeMemberToken, { params: { tokenId } })}
      done={({ token: revoked }) => `Revoked ${revoked.label}`}
      rereads={memberTokensQuery}
      onClose={onClose}
    >
      <p>Commands and agents with this token get 401 immediately. This cannot be undone.</p>
    </ConfirmedAction>
  );
}
