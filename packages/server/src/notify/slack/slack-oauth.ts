import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { ProviderUnavailableError, requestProvider } from '../../platform/outbound/provider-request.ts';
import { Secret } from '../../platform/secrets/secret.ts';
import type { SlackApp } from './slack-settings.ts';

/** All a destination needs: one channel that the person chooses. */
const SCOPE = 'incoming-webhook';
/** Slack's ids have a dozen characters, its names at most 80. */
const ID_LENGTH_MAX = 100;
const NAME_LENGTH_MAX = 200;
const URL_LENGTH_MAX = 2000;

/** A channel that a person let us post to. */
interface InstalledChannel {
  slackTeamId: string;
  slackTeamName: string | null;
  slackChannelId: string;
  slackChannelName: string | null;
  webhookUrl: Secret;
}

/** Returns the address to which Slack sends browsers back. */
export function slackCallbackUrl(baseUrl: string): string {
  return `${baseUrl}/v1/slack/app/callback`;
}

/** Returns the address at which a person chooses a channel. */
export function authorizeUrl(
  { url, clientId }: SlackApp,
  { redirectUri, state }: { redirectUri: string; state: string },
): string {
  const query = new URLSearchParams({
    client_id: clientId,
    scope: SCOPE,
    redirect_uri: redirectUri,
    state,
  });
  return `${url}/oauth/v2/authorize?${query}`;
}

/**
 * Exchanges a code for the channel. The token that comes with it is not kept: posting needs none.
 * @throws ProviderUnavailableError also for a code that Slack refuses, which it does with status 200
 */
export async function exchangeCode(
  app: SlackApp,
  { code, redirectUri }: { code: string; redirectUri: string },
): Promise<InstalledChannel> {
  const { status, body } = await requestProvider(
    {
      url: `${app.url}/api/oauth.v2.access`,
      method: 'POST',
      headers: { accept: 'application/json' },
      form: new URLSearchParams({
        client_id: app.clientId,
        client_secret: app.clientSecret.reveal(),
        code,
        redirect_uri: redirectUri,
      }),
    },
    app.requestTimeoutMs,
  );
  if (status !== 200 || !isJsonObject(body)) throw new ProviderUnavailableError(`status_${status}`);
  if (body.ok !== true) throw new ProviderUnavailableError(typeof body.error === 'string' ? body.error : '');
  return channelOf(body);
}

function channelOf(answer: JsonObject): InstalledChannel {
  const team = isJsonObject(answer.team) ? answer.team : {};
  const hook = isJsonObject(answer.incoming_webhook) ? answer.incoming_webhook : {};
  return {
    slackTeamId: requiredText(team.id, ID_LENGTH_MAX),
    slackTeamName: nameOf(team.name),
    slackChannelId: requiredText(hook.channel_id, ID_LENGTH_MAX),
    slackChannelName: nameOf(hook.channel),
    webhookUrl: new Secret(requiredText(hook.url, URL_LENGTH_MAX)),
  };
}

function requiredText(value: unknown, lengthMax: number): string {
  if (typeof value !== 'string' || value === '' || value.length > lengthMax || value.includes('\0')) {
    throw new ProviderUnavailableError('invalid_answer');
  }
  return value;
}

/** A name is only shown: a strange one is cut or left out, and refuses nothing. */
function nameOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  return value.replaceAll('\0', '').slice(0, NAME_LENGTH_MAX).toWellFormed();
}
