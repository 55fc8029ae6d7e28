import type { Severity } from '@culprit/evidence/events/normalize/event';
import { headerText } from '../../../platform/mail/mail.ts';
import type { GuardedRequest } from '../../../platform/outbound/send-guarded.ts';
import { Secret } from '../../../platform/secrets/secret.ts';
import {
  type AlertItems,
  factPairs,
  incidentLink,
  isTest,
  rulesText,
  transitionTitle,
} from '../alert-facts.ts';
import { fitted } from './fitted.ts';

const TITLE_MAX = 250;
/** A longer message is an attachment, or refused where attachments are off. */
const MESSAGE_BYTES_MAX = 4096;
const DESCRIPTION_MAX = 1000;
const FOOTER_MAX = 500;
/** 5 makes a phone ring through, 3 is usual. */
const PRIORITIES: Readonly<Record<Severity, number>> = { critical: 5, high: 4, medium: 3, low: 2 };

/** The topic that an address ends with, and the server before it; null when it has none. */
export function ntfyTopic(address: string): { server: string; topic: string } | null {
  const url = new URL(address);
  const [topic = '', ...before] = url.pathname.split('/').reverse();
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(topic)) return null;
  return { server: `${url.origin}${before.reverse().join('/')}/`, topic };
}

/** Returns the place at which one transition is published, with the access token (docs/contract/notifications.md 1.18). */
export function ntfyPlace(
  address: string,
  token: string | undefined,
): Pick<GuardedRequest, 'url' | 'authorization'> {
  const url = new URL(ntfyTopic(address)?.server ?? address).href;
  return token === undefined ? { url } : { url, authorization: new Secret(`Bearer ${token}`) };
}

/** One transition as ntfy shows it on a phone, without markup. */
export function ntfyMessage(items: AlertItems, appUrl: string, address: string): object {
  const [{ facts }] = items;
  const link = incidentLink(facts, appUrl);
  return {
    topic: ntfyTopic(address)?.topic,
    title: headerText(transitionTitle(items), TITLE_MAX),
    message: fitted(
      (charactersMax) => messageOf(items, charactersMax),
      (message) => Buffer.byteLength(message) <= MESSAGE_BYTES_MAX,
    ),
    priority: PRIORITIES[facts.incident.severity],
    tags: [facts.incident.severity],
    ...(isTest(facts)
      ? {}
      : { click: link, actions: [{ action: 'view', label: 'Open incident', url: link }] }),
  };
}

function messageOf(items: AlertItems, charactersMax: number): string {
  const [{ facts }] = items;
  const shown = (text: string, ownMax = charactersMax) => headerText(text, Math.min(ownMax, charactersMax));
  return [
    shown(facts.incident.description, DESCRIPTION_MAX),
    factPairs(facts)
      .map(([name, value]) => `${name}: ${shown(value)}`)
      .join('\n'),
    shown(`${facts.projectName}, ${rulesText(items)}`, FOOTER_MAX),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
