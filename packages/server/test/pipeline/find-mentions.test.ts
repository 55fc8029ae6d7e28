import { describe, expect, it } from 'vitest';
import { findHandles } from '../../src/pipeline/incidents/notes/find-mentions.ts';

describe('the mentions of a note', () => {
  it.each([
    ['@ada look', ['ada']],
    ['look, @Ada.', ['ada.|ada']],
    ['@ada_ and @ben-._', ['ada_|ada', 'ben-._|ben-.|ben-|ben']],
    ['(@ada-l_x.9)', ['ada-l_x.9']],
    ['mail ada@example.com or a/@ada', []],
    ['`@ada` and @ben and `@cleo', ['ben', 'cleo']],
    ['```\n@ada\n```\n@ben', ['ben']],
    ['~~~\n@ada', []],
    ['@a @', []],
    ['@ada@ben', ['ada']],
  ])('%j: %j', (body, handles) => {
    expect(findHandles(body).map((each) => each.handles.join('|'))).toEqual(handles);
  });

  it('are named by their place in the text, twenty at most', () => {
    expect(findHandles('one\n two @ada.')).toEqual([{ handles: ['ada.', 'ada'], offset: 9 }]);
    expect(findHandles('@ada '.repeat(30))).toHaveLength(20);
  });
});
