import type { Session } from '@culprit/contract/workspace/sign-in';
import { useState } from 'react';
import { Time } from '../format/time.tsx';
import { Button } from '../ui/button.tsx';
import { FactList } from '../ui/lists/fact-list.tsx';
import { Section } from '../ui/section.tsx';
import { ChangeEmail } from './change-email.tsx';

/** Shows the signed-in person, and their ways of signing in. */
export function Account({ session }: { session: Session }) {
  const { email, email_verified_at: verifiedAt, auth_methods: ways, role, expires_at: endsAt } = session;
  const [isChanging, setChanging] = useState(false);
  const used = [
    ...(ways.email ? ['a code by mail'] : []),
    ...(ways.github ? ['GitHub'] : []),
    ...(ways.oidc ? ['single sign-on'] : []),
  ];
  return (
    <Section
      id="account"
      title="Account"
      actions={!isChanging && <Button onClick={() => setChanging(true)}>Change the address</Button>}
    >
      <FactList
        facts={[
          ['E-mail', <strong key="email">{email}</strong>],
          [
            'Verified',
            verifiedAt === null ? (
              'not yet: sign in once with a mailed code'
            ) : (
              <Time key="verified" iso={verifiedAt} form="absolute" />
            ),
          ],
          ['Signed in with', used.length === 0 ? '–' : used.join(' and ')],
          [
            'Organization',
            role === 'owner' ? 'your own' : "none: you are a member of other people's projects",
          ],
          [
            'This session',
            <span key="session">
              until <Time iso={endsAt} form="absolute" />, or 24 hours after its last use
            </span>,
          ],
        ]}
      />
      {isChanging && <ChangeEmail onDone={() => setChanging(false)} />}
    </Section>
  );
}
