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
              One JSON file with the account, its organization and projects: their records, without events and
              without secrets.
            </p>
            <a className={linkStyles.link} href={exportAccount.path} download="culprit-export.json">
              Download the export
            </a>
          </>
        ) : (
          <p>
            Only the owner of an organization has something to export. What you see here belongs to others.
          </p>
        )}
      </SectionText>
    </Section>
  );
}
