import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';

/** Where a person lets messages go. */
export interface SlackChannel {
  teamId: string;
  teamName: string;
  channelId: string;
  channelName: string;
}

/** How the token endpoint behaves: as Slack's does, or broken in one of the ways a network or a provider breaks. */
export type SlackMode = 'up' | 'cut' | 'silent' | 'failing' | 'garbage' | 'enterprise';

/** A server that speaks Slack's protocol over real HTTP: OAuth v2 and incoming webhooks. */
export interface SlackServer {
  url: string;
  clientId: string;
  clientSecret: string;
  /** Every request that came, as `METHOD /path`, in order. */
  requests: string[];
  /** Every secret it has given out: codes, tokens, addresses of webhooks. */
  secrets: string[];
  /** Messages that came to a channel. */
  messages(channelId: string): JsonObject[];
  setMode(mode: SlackMode): void;
  /** What the webhooks of a channel answer from now on: a status and Slack's word for it; null: they work. */
  refuse(channelId: string, answer: { status: number; word: string } | null): void;
  /** Opens the page an install URL leads to, as a person who chooses a channel or not; gives where they are sent on to. */
  visit(installUrl: string, choice: SlackChannel | 'cancels'): string;
  close(): Promise<void>;
}

/** The one app that is registered there; any address on this machine may be its redirect address. */
const SCOPE = 'incoming-webhook';
const HEADER_MAX = 150;
const SECTION_MAX = 3000;

export async function startSlackServer(): Promise<SlackServer> {
  let url = '';
  const [clientId, clientSecret] = ['1234567890.culprit', randomBytes(16).toString('hex')];
  const requests: string[] = [];
  const secrets: string[] = [];
  const codes = new Map<string, { redirectUri: string; channel: SlackChannel }>();
  const channels = new Map<string, SlackChannel>();
  const refusals = new Map<string, { status: number; word: string }>();
  const messages = new Map<string, JsonObject[]>();
  let mode: SlackMode = 'up';

  function secret(prefix: string): string {
    const text = prefix + randomBytes(12).toString('hex');
    secrets.push(text);
    return text;
  }

  /** Answers are of status 200, refusals too. */
  function exchange(form: URLSearchParams): object {
    if (form.get('client_id') !== clientId) return { ok: false, error: 'invalid_client_id' };
    if (form.get('client_secret') !== clientSecret) return { ok: false, error: 'bad_client_secret' };
    const code = form.get('code') ?? '';
    const granted = codes.get(code);
    if (granted === undefined) return { ok: false, error: 'invalid_code' };
    if (form.get('redirect_uri') !== granted.redirectUri) return { ok: false, error: 'bad_redirect_uri' };
    codes.delete(code);
    const { teamId, teamName, channelId, channelName } = granted.channel;
    const path = `/services/${teamId}/${secret('B')}/${secret('')}`;
    channels.set(path, granted.channel);
    return {
      ok: true,
      app_id: 'A1',
      authed_user: { id: 'U1' },
      scope: SCOPE,
      token_type: 'bot',
      access_token: secret('xoxb-'),
      bot_user_id: 'U2',
      is_enterprise_install: mode === 'enterprise',
      team: mode === 'enterprise' ? null : { id: teamId, name: teamName },
      enterprise: null,
      incoming_webhook: {
        channel: channelName,
        channel_id: channelId,
        configuration_url: `${url}/services/${teamId}`,
        url: url + path,
      },
    };
  }

  function post(path: string, text: string): { status: number; word: string } {
    const channel = channels.get(path);
    if (channel === undefined) return { status: 404, word: 'no_service' };
    const refusal = refusals.get(channel.channelId);
    if (refusal !== undefined) return refusal;
    const message: unknown = JSON.parse(text);
    if (!isJsonObject(message)) return { status: 400, word: 'invalid_payload' };
    if (typeof message.text !== 'string' || message.text === '') return { status: 400, word: 'no_text' };
    if (!Array.isArray(message.blocks) || !message.blocks.every(isBlock)) {
      return { status: 400, word: 'invalid_blocks' };
    }
    messages.set(channel.channelId, [...(messages.get(channel.channelId) ?? []), message]);
    return { status: 200, word: 'ok' };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://slack.test');
    const body = await readText(request);
    requests.push(`${request.method} ${pathname}`);
    if (pathname.startsWith('/services/')) {
      const { status, word } = post(pathname, body);
      response.writeHead(status, { 'content-type': 'text/html' }).end(word);
    } else if (request.method !== 'POST' || pathname !== '/api/oauth.v2.access') {
      response.writeHead(404).end();
    } else if (mode === 'cut') {
      response.socket?.destroy();
    } else if (mode === 'failing' || mode === 'garbage') {
      response
        .writeHead(mode === 'failing' ? 503 : 200, { 'content-type': 'text/html' })
        .end('<h1>Slack</h1>');
    } else if (mode !== 'silent') {
      const json = JSON.stringify(exchange(new URLSearchParams(body)));
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(json);
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on a port of 127.0.0.1, so there is an address with one.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    clientId,
    clientSecret,
    requests,
    secrets,
    messages: (channelId) => messages.get(channelId) ?? [],
    setMode(next) {
      mode = next;
    },
    refuse(channelId, refusal) {
      if (refusal === null) refusals.delete(channelId);
      else refusals.set(channelId, refusal);
    },
    visit(installUrl, choice) {
      const page = new URL(installUrl);
      const query = page.searchParams;
      const isOurs = page.origin === url && page.pathname === '/oauth/v2/authorize';
      if (!isOurs || query.get('client_id') !== clientId || query.get('scope') !== SCOPE) {
        throw new Error(`no page of Slack: ${installUrl}`);
      }
      const redirectUri = query.get('redirect_uri') ?? '';
      const target = new URL(redirectUri);
      if (choice === 'cancels') {
        target.searchParams.set('error', 'access_denied');
      } else {
        const code = secret('code-');
        codes.set(code, { redirectUri, channel: choice });
        target.searchParams.set('code', code);
      }
      target.searchParams.set('state', query.get('state') ?? '');
      return target.href;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** As far as our messages use blocks. */
function isBlock(block: unknown): boolean {
  if (!isJsonObject(block)) return false;
  const { type, text, fields = [], elements } = block;
  switch (type) {
    case 'header':
      return isText(text, 'plain_text', HEADER_MAX);
    case 'section':
      return (
        (text === undefined || isText(text, 'mrkdwn', SECTION_MAX)) &&
        Array.isArray(fields) &&
        fields.length <= 10 &&
        fields.every((field) => isText(field, 'mrkdwn', 2000)) &&
        (text !== undefined || fields.length > 0)
      );
    case 'actions':
    case 'context':
      return Array.isArray(elements) && elements.length > 0;
    default:
      return false;
  }
}

function isText(value: unknown, type: string, lengthMax: number): boolean {
  if (!isJsonObject(value) || value.type !== type || typeof value.text !== 'string') return false;
  return value.text.length > 0 && value.text.length <= lengthMax;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
