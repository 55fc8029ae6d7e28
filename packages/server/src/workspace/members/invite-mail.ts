import type { Invite } from '@culprit/contract/workspace/invites';
import type { Mail } from '../../platform/mail/mail.ts';
import { composeMailBody } from '../../platform/mail/mail-body.ts';

const ROLE_WORDS: Record<Invite['role'], string> = { admin: 'an admin', member: 'a member' };

/**
 * Returns the message with an invite: the inviter, the project, the role, and the link, which appears nowhere else
 * (docs/contract/incidents.md 7.5).
 */
export function inviteMail(options: {
  host: string;
  /** With the plaintext of the token. */
  link: string;
  invite: Pick<Invite, 'email' | 'role' | 'expires_at'>;
  projectName: string;
  inviterEmail: string;
}): Mail {
  const { host, link, invite, projectName, inviterEmail } = options;
  const title = `${inviterEmail} invited you to ${projectName}`;
  const body = composeMailBody(title, [
    {
      kind: 'text',
      text: `You will be ${ROLE_WORDS[invite.role]} of the project on ${host}.`,
    },
    { kind: 'button', label: 'Accept invite', url: link },
    {
      kind: 'text',
      text: `The link works once, until ${utcMinute(invite.expires_at)}, for the account ${invite.email}.`,
    },
    { kind: 'text', text: 'If you did not expect this message, ignore it.' },
  ]);
  return { to: invite.email, subject: title, ...body };
}

/** `2026-03-24 10:30 UTC` for `2026-03-24T10:30:00.000Z`. */
function utcMinute(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace('T', ' ')} UTC`;
}
