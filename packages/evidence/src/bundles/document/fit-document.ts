import type { FrontendBlock } from '@culprit/contract/incidents/bundle-context';
import type { StackFrame } from '@culprit/contract/incidents/bundle-stack';
import type { OpenJson } from '@culprit/contract/schemas/open-json';
import { redactionReport } from '../evidence/redaction-report.ts';
import { notPossible } from '../reproduction/reproduction.ts';
import type { BundleDocument } from './bundle-document.ts';
import { bodyText, cutStack, DOCUMENT_BYTES_MAX } from './size-bounds.ts';

type Draft = Omit<BundleDocument, 'redaction'>;
type Context = BundleDocument['context'];

/** Stack that is left when nothing else helps; reached only by text that grows sixfold when it is written as JSON. */
const LAST_STACK_BYTES = 8 * 1024;

/**
 * The finished document: with its redaction report, and at most 512 KiB. What has to go goes in the order of
 * docs/contract/incidents.md 3.8, least diagnostic first; the steps after `frontend` are ours, for texts of control
 * characters.
 */
export function fitDocument(draft: Draft): BundleDocument {
  let fitted = withReport(draft);
  for (const drop of DROP_ORDER) {
    const excessBytes = writtenBytes(fitted) - DOCUMENT_BYTES_MAX;
    if (excessBytes <= 0) break;
    fitted = withReport(drop(fitted, excessBytes));
  }
  return fitted;
}

/** Canonical JSON has the same length: only the order of keys differs, and this way to write it is much faster. */
function writtenBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Made anew after every step: a mark that is no longer in the document must not be reported. */
function withReport(draft: Draft): BundleDocument {
  const { redaction: _redaction, ...document }: Draft & Partial<BundleDocument> = draft;
  return { ...document, redaction: redactionReport(document) };
}

const DROP_ORDER: readonly ((draft: Draft, excessBytes: number) => Draft)[] = [
  (draft) => withFrontend(draft, (frontend) => ({ ...frontend, console_logs: [] })),
  (draft) => withFrontend(draft, withoutNetworkBodies),
  (draft, excessBytes) => withContext(draft, { logs: dropOldest(draft.context.logs, excessBytes) }),
  (draft, excessBytes) =>
    withContext(draft, { probe_data: dropOldest(draft.context.probe_data, excessBytes) }),
  (draft) =>
    withContext(
      draft,
      stackWithout(draft.context, ({ vars: _vars, ...frame }) => frame),
    ),
  (draft) => withContext(draft, { response: withoutBody(draft.context.response) }),
  (draft) => withContext(draft, { request: withoutBody(draft.context.request) }),
  (draft) => withContext(draft, stackWithout(draft.context, withoutSource)),
  // Its lines are in the stack of the error as well, unless they were sent as objects.
  (draft) => withoutOptional(draft, 'stack'),
  (draft) => withoutOptional(draft, 'error_chain'),
  (draft) => withContext(draft, { frontend: null }),
  (draft) => withoutOptional(draft, 'custom'),
  (draft) => ({ ...draft, reproduction: notPossible('insufficient_context') }),
  (draft) =>
    withContext(draft, { response: draft.context.response && { ...draft.context.response, headers: {} } }),
  (draft) =>
    withContext(draft, {
      request: draft.context.request && { ...draft.context.request, headers: {}, query: {} },
    }),
  (draft) => withContext(draft, { dependencies: null }),
  (draft) =>
    withContext(draft, {
      error: draft.context.error && {
        ...draft.context.error,
        stack: cutStack(draft.context.error.stack, LAST_STACK_BYTES),
      },
      runtime: draft.context.runtime && { ...draft.context.runtime, framework_extras: null },
    }),
];

function withContext(draft: Draft, changed: Partial<Context>): Draft {
  return { ...draft, context: { ...draft.context, ...changed } };
}

function withoutOptional(draft: Draft, name: 'stack' | 'error_chain' | 'custom'): Draft {
  const { [name]: _dropped, ...context } = draft.context;
  return { ...draft, context };
}

function withFrontend(draft: Draft, change: (frontend: FrontendBlock) => FrontendBlock): Draft {
  const { frontend } = draft.context;
  return frontend === null ? draft : withContext(draft, { frontend: change(frontend) });
}

function withoutNetworkBodies(frontend: FrontendBlock): FrontendBlock {
  const network_requests = frontend.network_requests.map(
    ({ request_body: _request, response_body: _response, ...rest }) => rest,
  );
  return { ...frontend, network_requests };
}

function stackWithout({ stack }: Context, bare: (frame: StackFrame) => StackFrame): Pick<Context, 'stack'> {
  if (stack === undefined) return {};
  const causes = stack.causes.map(({ type, frames }) => ({ type, frames: frames.map(bare) }));
  return { stack: { ...stack, frames: stack.frames.map(bare), causes } };
}

function withoutSource({
  context_line: _line,
  pre_context: _before,
  post_context: _after,
  ...frame
}: StackFrame): StackFrame {
  return frame;
}

/** Drops items from the front until the excess is gone; a block without items is no block. */
function dropOldest<Item, Block extends { items: Item[] }>(
  block: Block | null,
  excessBytes: number,
): Block | null {
  if (block === null) return null;
  let droppedBytes = 0;
  let dropped = 0;
  while (droppedBytes < excessBytes && dropped < block.items.length) {
    // The comma goes with it.
    droppedBytes += writtenBytes(block.items[dropped]) + 1;
    dropped++;
  }
  return dropped === block.items.length ? null : { ...block, items: block.items.slice(dropped) };
}

/** Leaves the size of the body, so that a reader knows there was one. */
function withoutBody<Block extends { body: OpenJson }>(block: Block | null): Block | null {
  if (block === null || block.body === null) return block;
  return { ...block, body: { truncated: true, bytes: capturedBytes(block.body), head: '' } };
}

function capturedBytes(body: OpenJson): number {
  const isCut = typeof body === 'object' && body !== null && !Array.isArray(body) && body.truncated === true;
  return isCut && typeof body.bytes === 'number' ? body.bytes : Buffer.byteLength(bodyText(body));
}
