import { exportAccount } from '@culprit/contract/workspace/account';
import type { Session } from '@culprit/contract/workspace/sign-in';
import { useQuery } from '@tanstack/react-query';
import { useFeature } from '../api/server.ts';
import { sessionQuery } from '../api/session.ts';
import { OwnScreen } from '../shell/frame/own-screen.tsx';
import linkStyles from '../shell/parts/link.module.css';
import { PartError } from '../shell/parts/part-error.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import { Account } from './account.tsx';
import { AppearanceChoices } from './appearance-choices.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { MemberTokens } from './member-tokens.tsx';
import { Notifications } from './notifications.tsx';
import { Profile, useOwnPerson } from './profile.tsx';
import { Sessions } from './sessions.tsx';
import { memberTokensQuery, notificationsQuery, sessionsQuery } from './settings-queries.ts';

/** The screen of the person's account, sessions, export, and deletion. */
export function SettingsPage() {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  const hasAccess = useFeature('token_access');
  const hasPeople = useFeature('assignment');
  const isMailed = useFeature('personal_notifications');
  const { me, isLoading: isPersonLoading } = useOwnPerson();
  // Together, so that nothing moves when the one or the other is there.
  const isReading = [
    useQuery(memberTokensQuery),
    useQuery(sessionsQuery),
    useQuery({ ...notificationsQuery, enabled: isMailed }),
    { isLoading: isPersonLoading },
  ].some(({ isLoading }) => isLoading);
  return (
    <OwnScreen title="Your settings">
      {(isReading || session === undefined) && error === null && <SkeletonRows rows={8} />}
      {session === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
      {!isReading && session !== undefined && session !== null && (
        <>
          <Account session={session} />
          {hasPeople && me !== undefined && <Profile me={me} />}
          {isMailed && <Notifications />}
          <AppearanceChoices />
          <MemberTokens hasAccess={hasAccess} />
          <Sessions />
          <YourData session={session} />
          <DeleteAccount session={session} />
        </>
      )}
    </OwnScreen>
  );
}

/** Everything the account holds, as one file. */
function YourData({ session }: { session: Session }) {
  return (
    <Section id="data" title="Your data">
      <SectionText>
        {session.role === 'owner' ? (
          <>
            <p>
              One JSON file with the records of your account, organization and projects, without events or
              secrets.
            </p>
            <a className={linkStyles.link} href={exportAccount.path} download="culprit-export.json">
              Download the export
            </a>
          </>
        ) : (
          <p>Only owners of an organization can export data. The projects that you see belong to others.</p>
        )}
      </SectionText>
    </Section>
  );
}
