import Type, { type Static } from 'typebox';
import { MAP_REASONS, MAP_STATES, SYMBOLICATION_STATES } from '../releases/map-words.ts';
import { Closed } from '../schemas/closed-object.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Block, NullableNumber, NullableString } from './bundle-block.ts';

export const ErrorBlock = Block({
  name: Type.String(),
  message: Type.String(),
  stack: Type.String({ description: '`unavailable` when the event carried none' }),
  handled: Type.Boolean(),
  top_frames: Type.Array(Type.String(), { maxItems: 5 }),
});

const ErrorChainItem = Closed({
  type: Type.String(),
  message: Type.String(),
  top_frames: Type.Array(Type.String(), { maxItems: 5 }),
});
export const ErrorChainBlock = Block({ items: Type.Array(ErrorChainItem, { maxItems: 8 }) });

/** The result of source maps for a frame (docs/contract/source-maps.md 5.3). */
const FrameMap = Closed({
  state: Type.Enum([...MAP_STATES]),
  reason: Nullable(Type.Enum([...MAP_REASONS], { description: 'Reason why it is not mapped' })),
  source_map_id: NullableString,
});

/** The result of source maps for a stack: its frames, and why some are not mapped, most frames first. */
export const SymbolicationBlock = Block({
  state: Type.Enum([...SYMBOLICATION_STATES]),
  mapped: Type.Integer({ minimum: 0, description: 'Frames that a source map mapped' }),
  unmapped: Type.Integer({ minimum: 0 }),
  release: Nullable(
    Closed({
      version: Type.String(),
      source: Type.Enum(['event', 'deployment'], { description: 'Source of the release' }),
    }),
  ),
  problems: Type.Array(
    Closed({
      reason: Type.Enum([...MAP_REASONS]),
      words: Type.String({ description: 'The reason in a sentence' }),
      hint: Type.String({ description: 'The next step' }),
      file: Type.String(),
      debug_id: NullableString,
      release: NullableString,
      frames: Type.Integer({ minimum: 1 }),
    }),
    { maxItems: 10 },
  ),
});

export const StackFrame = Closed({
  function: Type.String(),
  file: NullableString,
  line: NullableNumber,
  column: NullableNumber,
  in_app: Type.Boolean({ description: 'Code of the application, not of a library' }),
  raw: Nullable(Type.String({ description: 'The raw line of the stack; null for frames sent as objects' })),
  context_line: Type.Optional(
    Type.String({ description: 'The source at `line`; with its neighbors in at most 30 frames of a stack' }),
  ),
  pre_context: Type.Optional(
    Type.Array(Type.String(), { maxItems: 5, description: 'The lines before it, the nearest last' }),
  ),
  post_context: Type.Optional(Type.Array(Type.String(), { maxItems: 5, description: 'The lines after it' })),
  generated: Type.Optional(
    Closed(
      { function: Type.String(), file: NullableString, line: NullableNumber, column: NullableNumber },
      {
        description: 'For a mapped frame: the position in the generated file',
      },
    ),
  ),
  map: Type.Optional(FrameMap),
  vars: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Values of variables, as text; in at most 20 frames of a stack',
    }),
  ),
});
const StackFrames = Type.Array(StackFrame, {
  maxItems: 100,
  description: 'Newest call first; of more than 100 the first 80 and the last 20',
});
export const StackBlock = Block({
  frames: StackFrames,
  causes: Type.Array(Closed({ type: Type.String(), frames: StackFrames }), {
    maxItems: 7,
    description: 'Outermost first',
  }),
});

export type ErrorBlock = Static<typeof ErrorBlock>;
export type ErrorChainBlock = Static<typeof ErrorChainBlock>;
export type StackFrame = Static<typeof StackFrame>;
export type SymbolicationBlock = Static<typeof SymbolicationBlock>;
export type StackBlock = Static<typeof StackBlock>;
