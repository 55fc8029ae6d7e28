import type { ApplicationFrame } from '@culprit/contract/incidents/bundle';

/** `file:line  function`, with what is known of it. */
export function frameText(frame: ApplicationFrame | null): string | null {
  if (frame === null) return null;
  const place = `${frame.file ?? '?'}${frame.line === null ? '' : `:${frame.line}`}`;
  return `${place}  ${frame.function ?? ''}`.trimEnd();
}
