import { createSignal } from '../ui/signal.ts';

/** The project that was just created, whose first token is created automatically. */
export const newProject = createSignal<string | null>(null);
