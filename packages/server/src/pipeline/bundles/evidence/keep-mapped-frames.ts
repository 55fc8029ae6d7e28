import type { BundleDocument } from '@culprit/evidence/bundles/document/bundle-document';

/** Returns true if a map of the stack existed once. */
export function mayHaveLostFrames({ context }: BundleDocument): boolean {
  return (
    context.symbolication?.problems.some(
      ({ reason }) => reason === 'map_removed' || reason === 'map_damaged',
    ) === true
  );
}

/** A document that maps fewer frames of its event than the stored one keeps that one's (docs/contract/source-maps.md 5.6). */
export function keepMappedFrames(document: BundleDocument, stored: BundleDocument): BundleDocument {
  const { context } = document;
  const before = stored.context;
  if (document.signal.signal_id !== stored.signal.signal_id || before.symbolication === undefined)
    return document;
  if (before.symbolication.mapped <= (context.symbolication?.mapped ?? 0)) return document;
  const { error, stack, error_chain: chain, symbolication } = before;
  return {
    ...document,
    summary: { ...document.summary, first_application_frame: stored.summary.first_application_frame },
    context: {
      ...context,
      error,
      symbolication,
      ...(stack === undefined ? {} : { stack }),
      ...(chain === undefined ? {} : { error_chain: chain }),
    },
  };
}
