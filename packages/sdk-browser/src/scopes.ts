import type { ScopeData } from '../../sdk-core/src/options.ts';
import { mergeScopes } from '../../sdk-core/src/scope.ts';

/** Data of one scope. */
export interface Layer extends ScopeData {
  tags: Record<string, unknown>;
  context: Record<string, unknown>;
  /** Replaces the path of the page. */
  route?: string;
}

/** Data of the page and, within `withScope`, of what runs there synchronously: docs/contract/clients.md 2.3. */
export interface Scopes {
  /** Returns the innermost scope. */
  innermost(): Layer;
  /** The route of the innermost scope that has one, else the path of the page. */
  route(): string;
  /** Runs `run` in a separate scope. */
  nest<Result>(run: () => Result): Result;
  /** Context of an event: of the library, then from the outermost scope to the hint. */
  contextOf(own: ScopeData, hint?: ScopeData): Record<string, unknown>;
}

export function createScopes(initial?: ScopeData): Scopes {
  const newLayer = (): Layer => ({ tags: {}, context: {} });
  /** The innermost first. */
  const layers = [newLayer()];
  return {
    innermost: () => layers[0] as Layer,
    route: () => layers.find(({ route }) => route)?.route ?? location.pathname,
    nest(run) {
      const layer = newLayer();
      layers.unshift(layer);
      try {
        return run();
      } finally {
        layers.splice(layers.indexOf(layer), 1);
      }
    },
    contextOf: (own, hint) => mergeScopes([own, initial, ...[...layers].reverse(), hint]),
  };
}
