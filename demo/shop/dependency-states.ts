/** How the shop found the services it depends on, the last time it asked. */
export interface DependencyState {
  name: string;
  status: 'ok' | 'degraded' | 'failed';
  notes: string | null;
}

const states = new Map<string, DependencyState>();

export function noteDependency(state: DependencyState): void {
  states.set(state.name, state);
}

export function dependencyStates(): DependencyState[] {
  return [...states.values()];
}
