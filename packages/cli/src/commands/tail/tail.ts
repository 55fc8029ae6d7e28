import type { Run } from '../../command.ts';
import { followLifecycle } from './follow.ts';

export const run: Run = (context, input) =>
  followLifecycle(context, input, { forMs: input.durationMs('for'), max: input.number('max') });
