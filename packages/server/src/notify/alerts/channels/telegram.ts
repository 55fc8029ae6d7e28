import { isLoopbackUrl } from '../../../platform/loopback-url.ts';
import { headerText } from '../../../platform/mail/mail.ts';
import { escapeSlackText } from '../../slack/slack-text.ts';
import {
  type AlertItems,
  factPairs,
  incidentLink,
  isTest,
  rulesText,
  transitionTitle,
} from '../alert-facts.ts';
import { fitted } from './fitted.ts';

const SERVER = 'https://api.telegram.org';
/** The limit of a text, below the 4,096 UTF-16 units that Telegram takes; counts the markup, which Telegram does not. */
const TEXT_UNITS_MAX = 4000;
const DESCRIPTION_MAX = 800;
const FOOTER_MAX = 200;

/** Slack and Telegram escape the same three characters. */
const escaped = escapeSlackText;

/** Returns the address to which the bot with this token sends (docs/contract/notifications.md 1.18). */
export function telegramAddress(token: string, server: string | undefined): string {
  return `${(server ?? SERVER).replace(/\/$/, '')}/bot${token}/sendMessage`;
}

/** One transition as Telegram shows it. */
export function telegramMessage(
  items: AlertItems,
  appUrl: string,
  chat: { chatId: string; threadId: number | undefined },
): object {
  const [{ facts }] = items;
  const button = { text: 'Open incident', url: incidentLink(facts, appUrl) };
  return {
    chat_id: chat.chatId,
    ...(chat.threadId === undefined ? {} : { message_thread_id: chat.threadId }),
    text: fitted(
      (charactersMax) => textOf(items, charactersMax),
      (text) => text.length <= TEXT_UNITS_MAX,
    ),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    // Telegram refuses the whole message for the address of a developer's machine.
    ...(isTest(facts) || isLoopbackUrl(appUrl) ? {} : { reply_markup: { inline_keyboard: [[button]] } }),
  };
}

function textOf(items: AlertItems, charactersMax: number): string {
  const [{ facts }] = items;
  const shown = (text: string, ownMax = charactersMax) =>
    escaped(headerText(text, Math.min(ownMax, charactersMax)));
  return [
    `<b>${shown(transitionTitle(items))}</b>`,
    shown(facts.incident.description, DESCRIPTION_MAX),
    factPairs(facts)
      .map(([name, value]) => `<b>${name}</b>: ${shown(value)}`)
      .join('\n'),
    shown(`${facts.projectName}, ${rulesText(items)}`, FOOTER_MAX),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
