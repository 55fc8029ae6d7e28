import type { CaptureRuleSuggestion } from '@culprit/contract/capture/capture-rules';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';

/** Lines that are shown together or not at all. */
export type Item = readonly string[];

/** The data from which sections are built. */
export interface Evidence {
  bundle: DebugBundle;
  /** Rules that the service suggests; they are asked for when their section is. */
  suggestions: readonly CaptureRuleSuggestion[];
  codeUrl: string | null;
}
