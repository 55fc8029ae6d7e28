import { isClientError } from './capture/error-verdict.ts';
import { active } from './client/registry.ts';

/** Codes of errors that a resolver throws for its caller. */
const FOR_CALLER =
  /^(?:BAD_(?:USER_INPUT|REQUEST)|GRAPHQL_|UNAUTHENTICATED|UNAUTHORIZED|FORBIDDEN|NOT_FOUND|PERSISTED_QUERY_|OPERATION_)/;

/** The frame of an item of a list: `at async Promise.all (index 7)`. */
const INDEX = /\(index \d{1,9}\)/g;

/**
 * Reports the errors of a GraphQL answer that are failures, and leaves out those that are meant for the caller: wrong
 * queries, and what resolvers throw as `GraphQLError`. What each item of a list throws at the same place is one failure.
 * Returns the ids of the events.
 */
export function reportErrors(errors: readonly unknown[] | undefined): string[] {
  const places = new Set<string>();
  // An answer may have another form than its type.
  return (Array.isArray(errors) ? errors : []).flatMap((error) => {
    try {
      const failure = failureOf(error);
      if (failure === null) return [];
      const stack: unknown = Reflect.get(Object(failure), 'stack');
      if (typeof stack === 'string') {
        const place = stack.replace(INDEX, '');
        if (places.has(place)) return [];
        places.add(place);
      }
      const id = active()?.captureException(failure, { handled: false });
      return typeof id === 'string' ? [id] : [];
    } catch {
      return [];
    }
  });
}

/** The Error that a resolver threw; null when the error is the caller's. */
function failureOf(error: unknown): unknown {
  const code: unknown = Reflect.get(Object(Reflect.get(Object(error), 'extensions')), 'code');
  if (typeof code === 'string' && FOR_CALLER.test(code)) return null;
  let failure: unknown = error;
  for (let depth = 0; depth < 8; depth += 1) {
    const original: unknown = Reflect.get(Object(failure), 'originalError');
    if (typeof original !== 'object' || original === null) break;
    failure = original;
  }
  const isForCaller = Reflect.get(Object(failure), 'name') === 'GraphQLError' || isClientError(failure);
  return isForCaller ? null : failure;
}
