import { exportAccount } from '@culprit/contract/workspace/account';
import type { Session } from '@culprit/contract/workspace/sign-in';
import linkStyles from '../shell/parts/link.module.css';
import { Section, SectionText } from '../ui/section.tsx';

/** Everything the account holds, as one file. */
export function YourData({ session }: { session: Session }) {
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
