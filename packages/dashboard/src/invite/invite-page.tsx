import { acceptInvite, readInvite } from '@culprit/contract/workspace/invites';
import type { Session } from '@culprit/contract/workspace/sign-in';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { projectsQuery } from '../api/projects.ts';
import { sessionQuery, signOut } from '../api/session.ts';
import { call, codeOf } from '../api/transport.ts';
import { PATTERNS, pathTo } from '../paths.ts';
import { EntranceSkeleton } from '../shell/frame/first-frame.tsx';
import linkStyles from '../shell/parts/link.module.css';
import { showToast } from '../shell/parts/toasts.tsx';
import { useWaitAfter } from '../shell/parts/wait-after.ts';
import { Entrance } from '../shell/sign-in/entrance.tsx';
import { SignInForm } from '../shell/sign-in/sign-in-form.tsx';
import { Button } from '../ui/button.tsx';
import styles from './invite-page.module.css';
import { forgetInvite, keepInvite, keptInvite } from './kept-invite.ts';

/** Joining a project: as whom, and what to do where that is the wrong one. */
export function InvitePage() {
  const [token] = useState(keptInvite);
  const { data: session } = useQuery(sessionQuery);
  const offer = useQuery({
    queryKey: ['invite', token],
    queryFn: async () => (await call(readInvite, { body: { token: token ?? '' } })).offer,
    enabled: token !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isUseless = codeOf(offer.error) === 'invalid_token';
  useEffect(() => {
    if (isUseless) forgetInvite();
  }, [isUseless]);
  if (token !== null && offer.isPending) return <EntranceSkeleton isInvite />;
  return (
    <Entrance
      title={
        offer.data === undefined
          ? 'Join a project'
          : `${offer.data.invited_by_email} invited you to ${offer.data.project_name}`
      }
      windowTitle="Invite"
      error={offer.isError && session === null ? problemText(offer.error) : undefined}
    >
      {token === null && (
        <div className={styles.part}>
          <p>No invite is open in this tab. Open the link in the mail again.</p>
          <Link className={linkStyles.link} to={pathTo('home')}>
            Go to Culprit
          </Link>
        </div>
      )}
      {isUseless && session === null && (
        <Link className={linkStyles.link} to={pathTo('home')}>
          Go to Culprit
        </Link>
      )}
      {token !== null && session === null && !isUseless && (
        <>
          <p>Sign in with the address that the invite was sent to.</p>
          <SignInForm onSignedIn={() => {}} />
        </>
      )}
      {token !== null && session !== null && session !== undefined && (
        <Join token={token} session={session} refusal={isUseless ? offer.error : null} />
      )}
    </Entrance>
  );
}

function Join({
  token,
  session,
  refusal,
}: {
  token: string;
  session: Session;
  /** Why the invite is of no use. */
  refusal: unknown;
}) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const join = useMutation({
    mutationFn: async () => (await call(acceptInvite, { body: { token } })).membership,
    onSuccess: async ({ project_id: pid, role }) => {
      forgetInvite();
      await queryClient.invalidateQueries(projectsQuery);
      await navigate({ to: pathTo('incidents', { pid }), replace: true });
      showToast(`You joined as ${role}`);
    },
    onError: (error) => {
      // With every other answer the invite is still open.
      if (codeOf(error) === 'invalid_token') forgetInvite();
    },
  });
  const failure = refusal ?? join.error;
  const code = codeOf(failure);
  const waitS = useWaitAfter(join.error);
  return (
    <div className={styles.part}>
      <p>
        You are signed in as <strong>{session.email}</strong>.
      </p>
      {failure !== null && (
        <p className={styles.error} role="alert">
          {problemText(failure)}
        </p>
      )}
      {code === 'invalid_token' ? (
        <Link className={linkStyles.link} to={pathTo('home')}>
          Go to Culprit
        </Link>
      ) : (
        <>
          <Button
            kind="primary"
            className={styles.button}
            isBusy={join.isPending}
            refusal={
              code === 'invite_email_mismatch'
                ? 'This invite is for another address'
                : waitS > 0
                  ? `Again in ${waitS} s`
                  : null
            }
            onClick={() => join.mutate()}
          >
            {waitS > 0 ? `Again in ${waitS} s` : `Join as ${session.email}`}
          </Button>
          <Button
            className={styles.button}
            onClick={() => void signOut(PATTERNS.invite).then(() => keepInvite(token))}
          >
            Use another address
          </Button>
        </>
      )}
    </div>
  );
}
