import * as github from '@culprit/contract/github';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { Secret } from '../platform/secret.ts';
import { claimDeviceRequest } from './github/claim-device-request.ts';
import { exchangeGithubToken } from './github/exchange-github-token.ts';
import { finishGithubSignIn } from './github/finish-github-sign-in.ts';
import type { GithubRoom } from './github/github-room.ts';
import { pollDeviceRequest } from './github/poll-device-request.ts';
import { startDeviceRequest } from './github/start-device-request.ts';
import { startGithubSignIn } from './github/start-github-sign-in.ts';

/**
 * Sign-in with GitHub (account.md 3.1).
 * @param room null without a GitHub application: then all of them answer `auth_not_configured`, whatever is asked
 */
export function bindGithubRoutes<C extends Callers>(binder: Binder<C>, room: GithubRoom | null): void {
  if (room === null) {
    for (const endpoint of ENDPOINTS) binder.bind(endpoint).toRaw(answerNotConfigured);
    return;
  }

  binder.bind(github.startGithubSignIn).to(async ({ query, clientAddress }) => {
    const { return_to: returnTo = '/' } = query;
    const { location, cookie } = await startGithubSignIn(room, { returnTo, clientAddress });
    return { status: 302, headers: { location, 'set-cookie': cookie } };
  });
  binder.bind(github.finishGithubSignIn).to(async ({ query, headers, log, clientAddress }) => {
    const { location, cookies } = await finishGithubSignIn(room, query, headers, { log, clientAddress });
    return { status: 302, headers: { location, 'set-cookie': cookies } };
  });
  binder.bind(github.startDeviceRequest).to(async ({ log, clientAddress }) => ({
    status: 200,
    body: await startDeviceRequest(room, { log, clientAddress }),
  }));
  binder.bind(github.pollDeviceRequest).to(async ({ body, log, clientAddress }) => ({
    status: 200,
    body: await pollDeviceRequest(room, body.request_id, { log, clientAddress }),
  }));
  binder.bind(github.claimDeviceRequest).to(async ({ body, log, clientAddress }) => {
    const request = { requestId: body.request_id, label: body.label };
    return { status: 200, body: { token: await claimDeviceRequest(room, request, { log, clientAddress }) } };
  });
  if (!room.github.isExchangeOn) {
    binder.bind(github.exchangeGithubToken).toRaw(answerNotConfigured);
    return;
  }
  binder.bind(github.exchangeGithubToken).to(async ({ body, log, clientAddress }) => {
    const request = { githubAccessToken: new Secret(body.github_access_token), label: body.label };
    return { status: 200, body: { token: await exchangeGithubToken(room, request, { log, clientAddress }) } };
  });
}

const ENDPOINTS = [
  github.startGithubSignIn,
  github.finishGithubSignIn,
  github.startDeviceRequest,
  github.pollDeviceRequest,
  github.claimDeviceRequest,
  github.exchangeGithubToken,
];

async function answerNotConfigured(): Promise<never> {
  throw new Problem('auth_not_configured');
}
