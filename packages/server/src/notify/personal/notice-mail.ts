import type { PersonalReason } from '@culprit/contract/alerts/personal-reasons';
import { prefixedId } from '../../platform/ids.ts';
import { headerText, type Mail } from '../../platform/mail/mail.ts';
import { composeMailBody, type MailBlock } from '../../platform/mail/mail-body.ts';
import { wakeWords } from '../alerts/alert-facts.ts';
import type { Notice } from './notices.queries.ts';

/** Incidents that one mail shows whole. */
const SHOWN_MAX = 20;
/** Sentences that a phone shows. */
const PUSHED_MAX = 5;
const TITLE_LENGTH_MAX = 120;
const NOTE_LENGTH_MAX = 1000;

interface Links {
  appUrl: string;
  /** Stops these mails without a sign-in. */
  unsubscribeUrl: string;
}

const SUBJECT_WORDS: Readonly<Record<PersonalReason, string>> = {
  assigned: 'Assigned to you',
  mentioned: 'You were mentioned',
  own_regressed: 'Back again',
  own_woke: 'No longer snoozed',
  watched: 'New note',
};

/** One mail of everything that waited for a person (docs/contract/team-workflow.md 6.4). */
export function noticeMail(
  to: string,
  [first, ...others]: readonly [Notice, ...Notice[]],
  { appUrl, unsubscribeUrl }: Links,
): Mail {
  const notices = [first, ...others];
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const title = headerText(first.title, TITLE_LENGTH_MAX);
  const subject = `[${first.projectName}] ${SUBJECT_WORDS[first.reason]}: ${title}${more}`;
  const heading = others.length === 0 ? sentenceOf(first) : `${notices.length} messages about your incidents`;
  const hidden = notices.length - SHOWN_MAX;
  const body = composeMailBody(heading, [
    ...notices.slice(0, SHOWN_MAX).flatMap((notice) => blocksOf(notice, appUrl, others.length > 0)),
    ...(hidden > 0 ? [{ kind: 'text', text: `And ${hidden} more.` } as const] : []),
    { kind: 'link', label: 'Change your notifications', url: `${appUrl}/settings#notifications` },
    { kind: 'link', label: 'Stop these mails', url: unsubscribeUrl },
  ]);
  const isOfOne = others.every(({ incidentId }) => incidentId === first.incidentId);
  return {
    to,
    subject,
    ...body,
    unsubscribeUrl,
    ...(isOfOne ? { threadId: prefixedId('inc', first.incidentId) } : {}),
  };
}

/** The same for a phone, in a few lines and without the text of notes, which its server would keep. */
export function noticePush(
  { subject }: Pick<Mail, 'subject'>,
  notices: readonly [Notice, ...Notice[]],
  appUrl: string,
): { title: string; message: string; link: string } {
  const [{ incidentId }, ...others] = notices;
  const sentences = notices
    .slice(0, PUSHED_MAX)
    .map((notice) => headerText(sentenceOf(notice), TITLE_LENGTH_MAX));
  return {
    title: subject,
    message: sentences.join('\n'),
    link: `${appUrl}/incidents${others.length === 0 ? `/${prefixedId('inc', incidentId)}` : '?q=is%3Amine'}`,
  };
}

/** The last mail of a day in which a person was mailed too often. */
export function lastMail(to: string, mailsMax: number, { appUrl, unsubscribeUrl }: Links): Mail {
  const title = `No more mails today`;
  const body = composeMailBody(title, [
    {
      kind: 'text',
      text: `You got ${mailsMax} mails about incidents today. The next one is sent tomorrow (UTC) at the earliest.`,
    },
    { kind: 'button', label: 'Open your incidents', url: `${appUrl}/incidents?q=is%3Amine` },
    { kind: 'link', label: 'Change your notifications', url: `${appUrl}/settings#notifications` },
    { kind: 'link', label: 'Stop these mails', url: unsubscribeUrl },
  ]);
  return { to, subject: title, ...body, unsubscribeUrl };
}

function blocksOf(notice: Notice, appUrl: string, isOneOfMany: boolean): MailBlock[] {
  const { title, note, serviceName, environment, incidentId, projectName, shortId } = notice;
  const facts = [
    { label: 'Incident', value: shortId === null ? title : `${shortId} ${title}` },
    { label: 'Project', value: projectName },
    { label: 'Service', value: `${serviceName}, ${environment}` },
  ];
  const url = `${appUrl}/incidents/${prefixedId('inc', incidentId)}`;
  return [
    ...(isOneOfMany ? [{ kind: 'heading', text: sentenceOf(notice) } as const] : []),
    ...(note === null ? [] : [{ kind: 'text', text: cut(note) } as const]),
    { kind: 'facts', rows: facts },
    isOneOfMany
      ? { kind: 'link', label: 'Open incident', url }
      : { kind: 'button', label: 'Open incident', url },
  ];
}

function sentenceOf({ reason, actorName, isByRule, because }: Notice): string {
  const who = actorName ?? 'A person whose account is deleted';
  switch (reason) {
    case 'assigned':
      if (because === 'tracker') return 'An incident was assigned to you in the issue tracker';
      return isByRule
        ? 'An incident was assigned to you by the ownership rules of its project'
        : `${who} assigned an incident to you`;
    case 'mentioned':
      return `${who} mentioned you in a note`;
    case 'watched':
      if (because === 'tracker')
        return 'A comment was added to the ticket of an incident that you are assigned to or watch';
      return `${who} added a note to an incident that you are assigned to or watch`;
    case 'own_regressed':
      return 'An incident that you are assigned to or watch is back';
    case 'own_woke': {
      const cause = because === 'time' ? 'its time ended' : wakeWords(because);
      return `An incident that you are assigned to, watch or snoozed woke${cause === null ? '' : `: ${cause}`}`;
    }
  }
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= NOTE_LENGTH_MAX ? text : `${characters.slice(0, NOTE_LENGTH_MAX).join('')}…`;
}
