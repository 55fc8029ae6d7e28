import { createSignal } from '../ui/signal.ts';

/** The project that was made a moment ago, whose first token is made without being asked for. */
export const newProject = createSignal<string | null>(null);
