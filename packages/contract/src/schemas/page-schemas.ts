import Type from 'typebox';
import { CURSOR_LENGTH_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from './pagination.ts';

/**
 * Query parts of every list (docs/contract/incidents.md 0): out of range is refused, never clamped. Absent `limit` is
 * 20.
 */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_SIZE_MAX,
      default: PAGE_SIZE_DEFAULT,
      description: 'Page size',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: CURSOR_LENGTH_MAX,
      description: '`next_cursor` of the previous page',
    }),
  ),
};

/** `next_cursor` of every list. */
export const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Cursor of the next page; null on the last page',
});
