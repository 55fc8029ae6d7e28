import * as github from '@culprit/contract/workspace/github';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import { claimDeviceRequest } from './github/claim-device-request.ts';
import { exchangeGithubToken } from './github/exchange-github-token.ts';
import { checkCallback, finishGithubSignIn } from './github/finish-github-sign-in.ts';
import { openGithub } from './github/github-runtime.ts';
import { pollDeviceRequest } from './github/poll-device-request.ts';
import { startDeviceRequest } from './github/start-device-request.ts';
import { startGithubSignIn } from './github/start-github-sign-in.ts';
import { checkTokenLabel } from './issue-member-token.ts';
import { answerNotConfigured } from './not-configured.ts';

/**
 * Sign-in with GitHub (docs/contract/account.md 3.1). Without a GitHub application all of them answer
 * `auth_not_configured`, whatever is asked.
 */
export function bindGithubRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  const withGithub = openGithub(runtime);
  if (withGithub === null) {
    for (const endpoint of ENDPOINTS) binder.bind(endpoint).toRaw(answerNotConfigured);
    return;
  }

  binder.bind(github.startGithubSignIn).to(async (request) => {
    const { location, cookie } = await startGithubSignIn(withGithub, request);
    return { status: 302, headers: { location, 'set-cookie': cookie } };
  });
  binder
    .bind(github.finishGithubSignIn)
    .checked((request) => checkCallback(withGithub, request))
    .to(async (request) => {
      const { location, cookies } = await finishGithubSignIn(withGithub, request);
      return { status: 302, headers: { location, 'set-cookie': cookies } };
    });
  binder.bind(github.startDeviceRequest).answers((request) => startDeviceRequest(withGithub, request));
  binder.bind(github.pollDeviceRequest).answers((request) => pollDeviceRequest(withGithub, request));
  binder
    .bind(github.claimDeviceRequest)
    .checked(checkTokenLabel)
    .answers((request) => claimDeviceRequest(withGithub, request));
  if (!withGithub.github.isExchangeOn) {
    binder.bind(github.exchangeGithubToken).toRaw(answerNotConfigured);
    return;
  }
  binder
    .bind(github.exchangeGithubToken)
    .checked(checkTokenLabel)
    .answers((request) => exchangeGithubToken(withGithub, request));
}

const ENDPOINTS = [
  github.startGithubSignIn,
  github.finishGithubSignIn,
  github.startDeviceRequest,
  github.pollDeviceRequest,
  github.claimDeviceRequest,
  github.exchangeGithubToken,
];
