import type { ParsedException } from './parsed-stack.ts';

/**
 * Returns the exceptions of a group ordered by type and place, because concurrent tasks fail in any order. The last one
 * represents the group where one exception is required; it is one of the application if there is any.
 */
export function membersInOrder(members: readonly ParsedException[][]): ParsedException[][] {
  return members
    .map((chain) => ({ chain, key: chain.map(keyOf).join(' '), isOwn: Number(chain.some(isOwn)) }))
    .sort((a, b) => a.isOwn - b.isOwn || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ chain }) => chain);
}

function keyOf({ type, frames }: ParsedException): string {
  const frame = frames.find(({ inApp }) => inApp) ?? frames[0];
  return frame === undefined ? type : `${type} ${frame.module}#${frame.function}`;
}

function isOwn({ frames }: ParsedException): boolean {
  return frames.some(({ inApp }) => inApp);
}
