import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import type { AccessOf, CallerOf, Callers } from '../../platform/http/binding/callers.ts';
import type { OperationContext } from '../../platform/http/binding/operation.ts';
import type { SessionCaller } from '../accounts/authenticate-session.ts';
import type { TokenCaller } from '../tokens/authenticate-member.ts';
import type { ClientProject } from '../tokens/authenticate-project.ts';
import type { Access } from './authorize.ts';

/** The callers of this API, and what the binder finds out for an operation before it runs. */
export interface ApiCallers extends Callers {
  member: TokenCaller | SessionCaller;
  project_token: ClientProject;
  session: SessionCaller;
  access: Access;
}

/**
 * A request to an endpoint as its operation gets it: checked, authorized, and with what it is about.
 * `Checked` is what the binding's own check made of it.
 */
export type ApiRequest<E extends Endpoint, Checked = undefined> = OperationContext<
  E,
  CallerOf<ApiCallers, E>,
  AccessOf<ApiCallers, E>,
  Checked
>;
