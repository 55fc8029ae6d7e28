import type { DebugBundle } from '../incidents/bundle.ts';

/** The hint of a rule about a failure. */
interface Hint {
  sentence: string;
  action: string | null;
}

/** A fact, which is counted where facts are. */
const DEPLOY_SENTENCE = /(?:^| )The latest occurrence is within 24 hours after deploy .{1,500}\.$/s;
/** The sentence that is written if no rule fits. */
const NO_RULE = /^The failure surfaces(?: in | at |\.)/;

/**
 * The hint of the rule whose pattern fits the message (docs/contract/incidents.md 3.5.1); null where none fits. It
 * carries no number, because how well it fits was never measured.
 */
export function hintOf({
  likely_cause: cause,
  recommended_action: action,
}: DebugBundle['summary']): Hint | null {
  const sentence = cause?.replace(DEPLOY_SENTENCE, '') ?? '';
  return sentence === '' || NO_RULE.test(sentence) ? null : { sentence, action };
}

/**
 * Returns the sentences about the cause for readers who see the frames as well: where no rule fits, they only repeat the
 * first one, and what is left is the deploy.
 */
export function causeSentences(summary: DebugBundle['summary']): string[] {
  const { likely_cause: cause, recommended_action: action } = summary;
  if (hintOf(summary) !== null) return [cause, action].filter((sentence) => sentence !== null);
  return (DEPLOY_SENTENCE.exec(cause ?? '') ?? []).map((sentence) => sentence.trim());
}
