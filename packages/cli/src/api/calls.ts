import type { CallResult, InputArguments } from '@culprit/contract/endpoints/client';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import type { CliError } from '../cli-error.ts';

/** An answer that was asked for. */
export type Success<E extends Endpoint> = Extract<CallResult<E>, { ok: true }>;

/** An answer that is a refusal. */
export interface Failure {
  ok: false;
  code: string;
  status: number;
  retryAfterSeconds: number | null;
  /** In words. */
  failure: CliError;
}

/** Calls of one server with one credential. */
export interface Calls {
  /** The body of the answer; throws the failure in words. */
  call<E extends Endpoint>(endpoint: E, ...input: InputArguments<E>): Promise<Success<E>['body']>;
  /** Calls like `call`, with the failure as a value; only connection failures are thrown. */
  attempt<E extends Endpoint>(endpoint: E, ...input: InputArguments<E>): Promise<Success<E> | Failure>;
}
