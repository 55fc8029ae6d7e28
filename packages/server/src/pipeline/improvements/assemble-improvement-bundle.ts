import { draftBundle, finishBundle, withoutSlash } from '@culprit/evidence/bundles/document/assemble-bundle';
import type { BundleDocument } from '@culprit/evidence/bundles/document/bundle-document';
import type { BundleEvidence } from '@culprit/evidence/bundles/evidence/bundle-evidence';
import { notPossible } from '@culprit/evidence/bundles/reproduction/reproduction';
import { DETECTORS } from './detectors.ts';
import type { ImprovementFacts } from './improvement-bundles.queries.ts';
import { likelyCauseOf, recommendedActionOf } from './subject.ts';

/**
 * The document of an improvement: that of an incident with the differences of docs/contract/incidents.md 6.5. Pure, as
 * that is.
 * @throws RangeError when the evidence holds no observation
 */
export function assembleImprovementBundle(facts: ImprovementFacts, evidence: BundleEvidence): BundleDocument {
  const { detector, key } = facts;
  const { signalType, isOfRequests } = DETECTORS[detector];
  if (signalType === null) throw new Error('this detector makes no documents');
  const draft = draftBundle(evidence);
  const { error_chain: _chain, stack: _stack, ...context } = draft.context;
  const { baseUrl } = evidence.constants;
  const self = `${withoutSlash(baseUrl)}/v1/projects/${draft.project.id}/improvements/${facts.improvementId}/bundle`;
  return finishBundle({
    ...draft,
    bundle_type: 'improvement',
    signal: { ...draft.signal, signal_type: signalType },
    summary: {
      ...draft.summary,
      description: facts.summary,
      likely_cause: likelyCauseOf(detector),
      recommended_action: recommendedActionOf(detector, key),
      confidence: facts.confidencePercent / 100,
      error_type: null,
      error_message: null,
      first_application_frame: null,
      primary_signal: signalType,
    },
    context: { ...context, error: null },
    // A request of another event around a log line is not what is slow or old about it.
    reproduction: isOfRequests ? draft.reproduction : notPossible('insufficient_context'),
    // The block is part of the document; there is no endpoint for it alone.
    links: { ...draft.links, self, reproduction: self, incident: null },
  });
}
