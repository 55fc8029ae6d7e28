import type { CallResult, InputArguments } from '@culprit/contract/endpoints/client';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';

/** Calls of the API with the credential of the caller. */
export interface ServiceCalls {
  /** The body of the answer; throws `SourceError` for everything that is no success. */
  call<E extends Endpoint>(
    endpoint: E,
    ...input: InputArguments<E>
  ): Promise<Extract<CallResult<E>, { ok: true }>['body']>;
}
