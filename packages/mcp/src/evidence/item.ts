import type { CaptureRuleSuggestion } from '@culprit/contract/capture/capture-rules';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Note } from '@culprit/contract/incidents/incident-notes';
import type { IncidentTag } from '@culprit/contract/incidents/incident-tags';

/** Lines that are shown together or not at all. */
export type Item = readonly string[];

/** The data from which sections are built. */
export interface Evidence {
  bundle: DebugBundle;
  /** Rules that the service suggests; they are asked for when their section is. */
  suggestions: readonly CaptureRuleSuggestion[];
  codeUrl: string | null;
  /** Tags and notes, which are read when their section is asked for. */
  tags?: readonly IncidentTag[] | undefined;
  notes?: readonly Note[] | undefined;
}
