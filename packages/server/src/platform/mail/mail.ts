/** A message to one person. `text` and `html` say the same. */
export interface Mail {
  /** One bare address. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Leads to a page that stops mails of this kind, for mail programs that offer it. */
  unsubscribeUrl?: string;
  /** The one incident that it is about. Mail programs show the messages of one thread together. */
  threadId?: string;
}

/** A message on its way: with an id that stays the same over all attempts, so that receivers can see repetitions. */
export interface OutgoingMail extends Mail {
  /** Without angle brackets. */
  messageId: string;
}

/** One way for mail to leave (docs/contract/account.md 14). */
export interface MailTransport {
  /**
   * Resolves when another system is responsible for the message.
   * @throws MailError when none is, or when that is unknown
   */
  send(mail: OutgoingMail): Promise<void>;
}

const ADDRESS_LENGTH_MAX = 254;
/** The longest is of an alert: names of projects and titles of incidents have up to 120 characters each. */
const SUBJECT_LENGTH_MAX = 300;
/** One address and nothing else: no list, no name, no white space, no control character. */
const BARE_ADDRESS = /^[^\s@<>(),;:\\"[\]\p{C}]{1,64}@[^\s@<>(),;:\\"[\]\p{C}]{1,253}$/u;

/**
 * The message as it may leave: control characters in the subject become spaces, so that no text of a user reaches
 * another header (docs/contract/reliability.md A14). Throws for a recipient that is not exactly one address.
 */
export function sanitizeMail(mail: Mail): Mail {
  if (mail.to.length > ADDRESS_LENGTH_MAX || !BARE_ADDRESS.test(mail.to)) {
    throw new Error('a message needs exactly one bare address as its recipient');
  }
  return {
    to: mail.to,
    subject: headerText(mail.subject, SUBJECT_LENGTH_MAX),
    text: storableText(mail.text),
    html: storableText(mail.html),
    ...(mail.unsubscribeUrl === undefined ? {} : { unsubscribeUrl: mail.unsubscribeUrl }),
    ...(mail.threadId === undefined ? {} : { threadId: mail.threadId }),
  };
}

/**
 * The characters that terminals and mail programs act on instead of showing them: controls, separators, marks that
 * reverse the direction of text.
 */
const CONTROLS = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text for a header: one line, without controls, cut to a length with a final `…`. */
export function headerText(text: string, charactersMax: number): string {
  const line = text.toWellFormed().replaceAll(CONTROLS, ' ').replaceAll(/ {2,}/g, ' ').trim();
  const characters = [...line];
  return characters.length <= charactersMax ? line : `${characters.slice(0, charactersMax - 1).join('')}…`;
}

/** Returns text that can be shown unchanged: controls become spaces, line breaks and tabs stay. */
export function shownText(text: string): string {
  return text.toWellFormed().replaceAll(CONTROLS, (control) => ('\n\t'.includes(control) ? control : ' '));
}

/** Text the database and mail servers take. */
function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
