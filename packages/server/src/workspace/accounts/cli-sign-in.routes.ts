import * as cli from '@culprit/contract/workspace/cli-sign-in';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import { claimCliSignIn } from './cli-sign-in/claim-cli-sign-in.ts';
import { approveCliSignIn, denyCliSignIn, readCliSignIn } from './cli-sign-in/decide-cli-sign-in.ts';
import { pollCliSignIn } from './cli-sign-in/poll-cli-sign-in.ts';
import { startCliSignIn } from './cli-sign-in/start-cli-sign-in.ts';
import { checkTokenLabel } from './issue-member-token.ts';

/** Sign-in of programs that a person approves in the browser (docs/contract/team-workflow.md 9.5). */
export function bindCliSignInRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(cli.startCliSignIn)
    .checked(checkTokenLabel)
    .answers((request) => startCliSignIn(runtime, request));
  binder.bind(cli.pollCliSignIn).answers((request) => pollCliSignIn(runtime, request));
  binder.bind(cli.claimCliSignIn).answers((request) => claimCliSignIn(runtime, request));
  binder.bind(cli.readCliSignIn).answers((request) => readCliSignIn(runtime, request));
  binder.bind(cli.approveCliSignIn).to(async (request) => {
    await approveCliSignIn(runtime, request);
    return { status: 200, body: { success: true } };
  });
  binder.bind(cli.denyCliSignIn).to(async (request) => {
    await denyCliSignIn(runtime, request);
    return { status: 200, body: { success: true } };
  });
}
